import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { knownNode, startHarness, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import type { ToyStatus } from './toy-cloud.ts';
import { fail } from './memory-api-server.ts';

const name = 'node';

function harnessWith(status: ToyStatus, ready: boolean): ControllerHarness {
  const harness = startHarness();
  harness.api.put(knownNode({ name: 'awake' }));
  harness.cloud.setStatus(name, status);
  harness.api.put(knownNode({ name, ready, ageMs: 0 }));
  return harness;
}

function reported({ api }: ControllerHarness): { readonly events: readonly string[]; readonly conditions: number } {
  const conditions = api.requests.filter((request) => request === `patch condition ${name}`).length;
  return { events: api.events.map(({ reason }) => reason), conditions };
}

/** The reason of the condition, if there is one. */
function reportOn({ api }: ControllerHarness): string | undefined {
  return api.node(name)?.status.conditions?.find(({ type }) => type === 'polycloud.dev/Instance')?.reason;
}

for (const [what, said, ready, reason] of [
  ['gone', 'not-found', false, 'InstanceGone'],
  ['gone while the Node is Ready', 'not-found', true, 'InstanceGoneButReady'],
  ['ambiguous', 'ambiguous', false, 'InstanceAmbiguous'],
] as const) {
  await t.test(`${what}: reported once, by an event and a condition`, async (t) => {
    const stage = harnessWith(said, ready);
    await stage.advance(4 * 60_000);
    t.strictSame(reported(stage), { events: [reason], conditions: 1 });
    t.equal(reportOn(stage), reason);
  });

  await t.test(`${what}: not reported again by the next leader`, async (t) => {
    const stage = harnessWith(said, ready);
    await stage.advance(60_000);
    await stage.restart();
    await stage.advance(60_000);
    t.strictSame(reported(stage).events, [reason]);
  });

  await t.test(`${what}: the return of the instance is reported once`, async (t) => {
    const stage = harnessWith(said, ready);
    await stage.advance(60_000);
    stage.cloud.setStatus(name, 'running');
    await stage.advance(20 * 60_000);
    t.strictSame(reported(stage), { events: [reason, 'InstanceFound'], conditions: 2 });
  });
}

await t.test('a running instance is not reported', async (t) => {
  const stage = harnessWith('running', false);
  await stage.advance(10 * 60_000);
  stage.api.change(name, (node) => withReady(node, true));
  await stage.advance(10 * 60_000);
  t.strictSame(reported(stage), { events: [], conditions: 0 });
});

await t.test('a report that failed is written the next time', async (t) => {
  const stage = harnessWith('not-found', false);
  stage.hooks.on('patch condition', 'sent', () => fail('unavailable'));
  await stage.advance(30_000);
  t.strictSame(reported(stage).events, ['InstanceGone']);
  t.equal(reportOn(stage), 'InstanceGone');
});

await t.test('a deletion waits until it could be reported', async (t) => {
  const stage = startHarness();
  stage.api.put(knownNode({ name: 'awake' }));
  stage.cloud.setStatus(name, 'terminated');
  stage.api.put(knownNode({ name, ready: false }));
  await stage.advance(1_000);
  stage.hooks.on('create event', 'sent', () => fail('forbidden'));
  await stage.advance(10_000);
  t.strictSame(stage.hooks.pending(), []);
  t.ok(stage.api.node(name));
  await stage.advance(15_000);
  t.equal(stage.api.node(name), undefined);
  t.equal(reported(stage).events.at(-1), 'DeletingNode');
});

await t.test('control characters of a Node or a cloud do not get into events and conditions', async (t) => {
  const stage = startHarness();
  const providerId = `toy://here/${name}\u001b[2K\nforged`;
  stage.cloud.setStatus(providerId.split('/')[3] ?? '', 'unknown');
  const node = knownNode({ name, providerId, taints: ['uninitialized'] });
  stage.api.put(node);
  stage.cloud.lookUpOverride = (nodes) =>
    Promise.resolve(new Map(nodes.map(({ uid }) => [uid, { status: 'not-found', evidence: `no ${providerId}` }])));
  await stage.advance(1_000);
  const texts = [...stage.api.events.map(({ message }) => message), JSON.stringify(stage.api.node(name)?.status)];
  t.equal(texts.length, 3);
  for (const text of texts) t.notMatch(text, /\p{C}|\\n/u);
});

await t.test('a failing cloud is an event on the Lease, every 5 minutes, and its return is one', async (t) => {
  const lease = { namespace: 'kube-system', name: 'ccm' };
  for (const isDry of [false, true]) {
    const { api, cloud, counts, advance } = startHarness({}, { lease, isDry });
    cloud.lookUpOverride = async () => Promise.reject(new Failure('denied', 'it refuses', { remedy: 'allow it' }));
    api.put(knownNode({ name, ready: false }));
    await advance(11 * 60_000);
    cloud.lookUpOverride = undefined;
    await advance(60_000);
    const message = 'toy toy/here: it refuses; hint: allow it';
    const involvedObject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease, uid: 'uid-of-ccm' };
    const failing = { type: 'Warning', reason: 'CloudFailing', message, involvedObject };
    const recovered = {
      type: 'Normal',
      reason: 'CloudRecovered',
      message: 'toy toy/here: instances are looked up again',
    };
    const ofLease = api.events.filter((event) => event.involvedObject.kind === 'Lease');
    t.match(ofLease, isDry ? [] : [failing, failing, failing, recovered]);
    t.equal(ofLease.length, isDry ? 0 : 4);
    if (!isDry) t.equal(counts.writes.filter((kind) => kind === 'event').length, api.events.length);
  }
});

await t.test('without an election there is no Lease to write an event on', async (t) => {
  const { api, cloud, advance } = startHarness();
  cloud.lookUpOverride = async () => Promise.reject(new Failure('denied', 'it refuses', { remedy: 'allow it' }));
  api.put(knownNode({ name, ready: false }));
  await advance(60_000);
  t.strictSame(api.events, []);
});
