import t from 'tap';
import type { Context } from '../../../lib/context.ts';
import type { Http } from '../../../lib/http/http.ts';
import { waitFor } from '../../lib/kubernetes/scripted-server.ts';
import { createBrokerHarness, denied, hourMs, startMs } from './harness.ts';
import type { LoginCall, BrokerHarness } from './harness.ts';
import { createSigningCluster } from './tokens/signing-cluster.ts';

const image = 'a.toy.example/app';

/** A cloud that answers when the test says so. */
function slowCloud(harness: BrokerHarness): { readonly contexts: Context[]; readonly answer: () => void } {
  const contexts: Context[] = [];
  let waiting: (() => void)[] = [];
  harness.environment.onLogin = async (_call: LoginCall, context: Context) => {
    contexts.push(context);
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
    });
  };
  return {
    contexts,
    answer: () => {
      const all = waiting;
      waiting = [];
      for (const resolve of all) resolve();
    },
  };
}

function askAsPod(harness: BrokerHarness, number: number): Promise<string> {
  const claims = { exp: (startMs + hourMs) / 1_000, number };
  const token = `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  return harness.ask(image, { serviceAccountToken: token, serviceAccountAnnotations: {} });
}

/** How many have waited for their turn. */
function waitingForSlot({ clock }: BrokerHarness): number {
  return clock.sleepsMs.filter((durationMs) => durationMs === 1_500).length;
}

await t.test('a cloud that hangs is a failure after 15 s, with the last step as the reason', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const { contexts } = slowCloud(harness);
  const asked = harness.ask(image);
  await waitFor(() => contexts.length === 1);
  const [context] = contexts;
  t.equal(context?.deadlineAtMs, 15_000);
  context?.log.debug('asking api.toy.example; again in 300 ms');
  await harness.clock.advance(15_000);
  const reason = 'no answer within 15 s, last: asking api.toy.example; again in 300 ms; hint: check what that step';
  t.match(await asked, `polycloud/2\nfailure\npolycloud-credential-provider: ${reason} waits for\nend\n`);
  t.ok(context?.signal.aborted, 'and what it does is ended');
});

await t.test('requests that share the login fail at the same time', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const { contexts } = slowCloud(harness);
  const first = harness.ask(image);
  await waitFor(() => contexts.length === 1);
  await harness.clock.advance(14_000);
  const second = harness.ask(image);
  await waitFor(() => harness.metricsText().includes('polycloud_broker_logins_total{how="shared"} 1\n'));
  await harness.clock.advance(1_000);
  for (const answer of await Promise.all([first, second])) t.match(answer, 'failure\n');
  t.equal(harness.loginCalls.length, 1);
});

await t.test('each request has a time limit', async (t) => {
  let asked = false;
  const issuerOf = (): Promise<undefined> => {
    asked = true;
    return new Promise(() => {});
  };
  const harness = await createBrokerHarness({ clusterKeys: { issuerOf } });
  t.teardown(harness.stop);
  const cluster = createSigningCluster('ES256', 'https://cluster.example');
  const serviceAccountToken = cluster.sign({ expiresAtMs: startMs + hourMs });
  const waiting = harness.ask(image, { serviceAccountToken, serviceAccountAnnotations: {} });
  await waitFor(() => asked);
  await harness.clock.advance(17_499);
  const other = await harness.ask('quay.io/a/b');
  t.match(other, 'answer', 'others are served');
  await harness.clock.advance(1);
  t.match(await waiting, /failure\n.*no answer within 17\.5 s/);
});

await t.test('of 200 logins at once 20 run; the others wait, and then they are declined', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const { contexts, answer } = slowCloud(harness);
  const all = Array.from({ length: 200 }, (_, number) => askAsPod(harness, number));
  const heard = Promise.all(all);
  await waitFor(() => contexts.length === 20 && waitingForSlot(harness) === 180);
  await harness.clock.advance(1_000);
  t.equal(contexts.length, 20);
  answer();
  await waitFor(() => contexts.length === 40);
  await harness.clock.advance(500);
  answer();
  const answers = await heard;
  const logins = answers.flatMap((text) => /"username":"([^"]*)"/.exec(text)?.[1] ?? []);
  t.equal(logins.length, 40);
  t.equal(new Set(logins).size, 40, 'each has its own');
  t.equal(answers.filter((text) => text.includes('decline\n20 other logins are under way\nend\n')).length, 160);
  const [next] = await Promise.all([askAsPod(harness, 1_000), waitFor(() => contexts.length === 41).then(answer)]);
  t.match(next, 'answer', 'a place is free again');
});

await t.test('a failed login frees its slot', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  harness.environment.onLogin = denied;
  const answers = await Promise.all(Array.from({ length: 50 }, (_, number) => askAsPod(harness, number)));
  t.ok(answers.every((text) => text.includes('\nfailure\n')));
  harness.environment.onLogin = () => {};
  t.match(await askAsPod(harness, 51), 'answer');
});

await t.test('all logins share one connection pool', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const used = new Set<Http>();
  harness.environment.onLogin = (_asked, { http }) => void used.add(http);
  await Promise.all(Array.from({ length: 30 }, (_, number) => askAsPod(harness, number)));
  await harness.ask(image);
  t.equal(used.size, 1);
  t.equal(harness.openedHttpCount(), 1);
});

await t.test('a changed trusted authority gets new connections', async (t) => {
  const harness = await createBrokerHarness({});
  t.teardown(harness.stop);
  const certificate = (name: string): string => `-----BEGIN CERTIFICATE-----\n${name}`;
  const counts: number[] = [];
  const files = { '/etc/polycloud/config.yaml': 'caFile: /etc/polycloud/ca.pem' };
  for (const name of ['one', 'one', 'another']) {
    harness.environment.files = { ...files, '/etc/polycloud/ca.pem': certificate(name) };
    t.match(await askAsPod(harness, counts.length), 'answer');
    counts.push(harness.openedHttpCount());
  }
  t.strictSame(counts, [1, 1, 2]);
});
