import t from 'tap';
import { clusterKeys } from '../../../node-agent/broker/tokens/cluster-keys.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { createBrokerHarness, denied, hourMs, startMs } from './harness.ts';
import type { BrokerHarness } from './harness.ts';
import { createSigningCluster } from './tokens/signing-cluster.ts';
import type { PodClaims } from './tokens/signing-cluster.ts';

const cluster = createSigningCluster('RS256', 'https://cluster.example');
const forger = createSigningCluster('RS256', 'https://cluster.example');
const image = 'a.toy.example/app';
const role = { 'example.com/role': 'reader' };

/** A cloud that checks tokens as one does: by the cluster's keys, for its audience, and their end. */
async function createPodHarness(isApiServerThere: boolean): Promise<BrokerHarness> {
  const read = async (_what: string, path: string): Promise<string> => {
    if (!isApiServerThere) throw new Error('down');
    return JSON.stringify(cluster.documents[path]);
  };
  const keys = clusterKeys({ clock: createFakeClock(startMs), client: { read } });
  return createBrokerHarness({ clusterKeys: keys });
}

interface Pod {
  readonly token: string;
  readonly annotations: Readonly<Record<string, string>>;
}

function pod(claims: Partial<PodClaims>, annotations: Readonly<Record<string, string>>): Pod {
  return { token: cluster.sign({ expiresAtMs: startMs + hourMs, ...claims }), annotations };
}

/** `login 1`, or `refused`. */
async function askFor(harness: BrokerHarness, { token, annotations }: Pod): Promise<string> {
  const more = { serviceAccountToken: token, serviceAccountAnnotations: annotations };
  return outcomeOf(await harness.ask(image, more));
}

function outcomeOf(answer: string): string {
  return /"username":"([^"]*)"/.exec(answer)?.[1] ?? (answer.includes('\nfailure\n') ? 'refused' : answer);
}

function accept(harness: BrokerHarness, ...pods: readonly Pod[]): void {
  const accepted = new Set(pods.map(({ token }) => token));
  harness.environment.onLogin = ({ identity }) => {
    if (identity.kind === 'token' && !accepted.has(identity.token.reveal())) denied();
  };
}

for (const isThere of [true, false]) {
  const where = isThere ? 'with the cluster’s keys' : 'without the cluster’s keys';

  await t.test(`${where}, logins of different identities are not mixed`, async (t) => {
    const harness = await createPodHarness(isThere);
    t.teardown(() => harness.stop());
    const first = pod({}, role);
    const others: Readonly<Record<string, Pod>> = {
      'another service account': pod({ serviceAccount: 'other' }, role),
      'one of the same name, made anew': pod({ uid: 'newer' }, role),
      'another role': pod({}, { 'example.com/role': 'writer' }),
      'another audience': pod({ audience: 'elsewhere' }, role),
      'one audience more': pod({ audience: ['sts.amazonaws.com', 'elsewhere'] }, role),
    };
    accept(harness, first, ...Object.values(others));
    t.equal(await askFor(harness, first), 'login 1');
    t.equal(await askFor(harness, first), 'login 1', 'this very token earned it');
    let number = 1;
    for (const [what, other] of Object.entries(others)) {
      t.equal(await askFor(harness, other), `login ${++number}`, what);
    }
    t.equal(outcomeOf(await harness.ask(image)), `login ${++number}`, 'the node');
    t.equal(outcomeOf(await harness.ask(image)), `login ${number}`);
    t.equal(await askFor(harness, first), 'login 1', 'the first login is still there');
  });

  await t.test(`${where}, also for requests at the same time`, async (t) => {
    const harness = await createPodHarness(isThere);
    t.teardown(() => harness.stop());
    const reader = pod({}, role);
    const writer = pod({ serviceAccount: 'writer' }, role);
    accept(harness, reader, writer);
    const answers = await Promise.all([
      askFor(harness, reader),
      askFor(harness, writer),
      harness.ask(image).then(outcomeOf),
      askFor(harness, reader),
    ]);
    t.equal(new Set(answers).size, 3);
    t.equal(answers[0], answers[3]);
    t.equal(harness.loginCalls.length, 3);
  });

  await t.test(`${where}, an invalid token gets no cached login`, async (t) => {
    const harness = await createPodHarness(isThere);
    t.teardown(() => harness.stop());
    const first = pod({}, role);
    accept(harness, first);
    t.equal(await askFor(harness, first), 'login 1');
    const [head, body, signature] = first.token.split('.');
    const bad: Readonly<Record<string, string>> = {
      'signed by somebody else': forger.sign({ expiresAtMs: startMs + hourMs }),
      'without a signature': `${head}.${body}.`,
      'with one letter more': `${head}.${body}.${signature}A`,
      'for another audience': cluster.sign({ expiresAtMs: startMs + hourMs, audience: 'elsewhere' }),
      'that has ended': cluster.sign({ expiresAtMs: startMs }),
      'that is none': 'opaque',
    };
    for (const [what, token] of Object.entries(bad)) {
      t.equal(await askFor(harness, { ...first, token }), 'refused', what);
    }
    t.equal(harness.loginCalls.length, 7, 'the cloud decided about each of them');
    await harness.clock.advance(hourMs);
    t.equal(harness.loginCalls.length, 7);
    accept(harness);
    t.equal(await askFor(harness, first), 'refused', 'nor the token that earned it, after its expiry');
  });
}

await t.test('pods of one service account share a login', async (t) => {
  const harness = await createPodHarness(true);
  t.teardown(() => harness.stop());
  const pods = Array.from({ length: 20 }, (_, index) => pod({ id: `pod ${index}` }, role));
  accept(harness, ...pods);
  const answers = await Promise.all(pods.map((each) => askFor(harness, each)));
  t.strictSame(new Set(answers), new Set(['login 1']));
  t.equal(harness.loginCalls.length, 1);
});

await t.test('a login that ends with its token is used for that token only', async (t) => {
  const harness = await createPodHarness(true);
  t.teardown(() => harness.stop());
  const [one, two, three] = ['1', '2', '3'].map((id) => pod({ id }, role)) as [Pod, Pod, Pod];
  accept(harness, one, two, three);
  harness.environment.login = { endsWithToken: true };
  const together = await Promise.all([askFor(harness, one), askFor(harness, two)]);
  t.strictSame(together, ['login 1', 'login 2']);
  t.equal(await askFor(harness, three), 'login 3');
  t.strictSame(await Promise.all([one, two, three].map((each) => askFor(harness, each))), [
    'login 1',
    'login 2',
    'login 3',
  ]);
  t.match(await harness.ask(image), 'login 4');
});

await t.test('a token without an expiry gets a new login for each request', async (t) => {
  const harness = await createPodHarness(true);
  t.teardown(() => harness.stop());
  accept(harness, { token: 'opaque', annotations: {} });
  t.equal(await askFor(harness, { token: 'opaque', annotations: role }), 'login 1');
  t.equal(await askFor(harness, { token: 'opaque', annotations: role }), 'login 2');
});

await t.test('the login of a request under the previous configuration is not used later', async (t) => {
  const asked = Promise.withResolvers<undefined>();
  const answered = Promise.withResolvers<undefined>();
  const issuerOf = async (): Promise<undefined> => {
    asked.resolve(undefined);
    return answered.promise;
  };
  const harness = await createBrokerHarness({ clusterKeys: { issuerOf } });
  t.teardown(() => harness.stop());
  const early = askFor(harness, pod({}, role));
  await asked.promise;
  harness.environment.files = { '/etc/polycloud/config.yaml': 'aws: {roleAnnotations: [example.com/role]}' };
  await harness.ask('quay.io/a/b');
  answered.resolve(undefined);
  t.equal(await early, 'login 1');
  t.equal(await askFor(harness, pod({}, role)), 'login 2');
  t.equal(await askFor(harness, pod({}, role)), 'login 2');
});
