import t from 'tap';
import { knownNode, newNode, startHarness } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import { failureOf, furtherRegionLabel } from './toy-cloud.ts';

/** When the name was looked up first. */
function lookedUpAtMs({ cloud }: ControllerHarness, name: string): number | undefined {
  return cloud.lookups.find(({ names }) => names.includes(name))?.atMs;
}

function isInitialized({ api }: ControllerHarness, name: string): boolean {
  return api.node(name)?.spec.taints?.length === 0;
}

const twoPlaces = { [furtherRegionLabel]: 'there' };

await t.test('new Nodes of one place do not delay those that may be in another place too', async (t) => {
  const stage = startHarness();
  for (let index = 0; index < 40; index += 1) {
    stage.cloud.setStatus(`lost-${index}`, 'unknown');
    stage.api.put(newNode({ name: `lost-${index}` }));
    await stage.advance(400);
  }
  stage.api.put(newNode({ name: 'either', labels: twoPlaces }));
  await stage.advance(1_300);
  t.ok(lookedUpAtMs(stage, 'either'));
});

await t.test('a new Node does not wait for the period of other Nodes', async (t) => {
  const stage = startHarness();
  for (let index = 0; index < 16; index += 1) {
    stage.api.put(knownNode({ name: `down-${index}`, ready: false }));
    await stage.advance(300);
  }
  await stage.advance(10_000);
  stage.api.put(newNode({ name: 'new' }));
  await stage.advance(200);
  t.ok(isInitialized(stage, 'new'));
});

await t.test('a place that is throttled does not keep a new Node from being found in another one', async (t) => {
  const stage = startHarness();
  stage.cloud.lookUpOverride = async (_nodes, _context, { key }) => {
    if (key === 'toy/there') throw failureOf('throttled', { retryAfterMs: 300_000 });
    return undefined;
  };
  stage.api.put(knownNode({ name: 'there-0', region: 'there' }));
  await stage.advance(1_000);
  stage.api.put(newNode({ name: 'either', labels: twoPlaces }));
  await stage.advance(1_000);
  t.ok(isInitialized(stage, 'either'));
});

await t.test('a Node that is not found in one place is not gone while another place is closed', async (t) => {
  const stage = startHarness();
  stage.api.put(knownNode({ name: 'awake' }));
  stage.api.put(knownNode({ name: 'there-0', region: 'there' }));
  stage.cloud.lookUpOverride = async (_nodes, _context, { key }) => {
    if (key === 'toy/there') throw failureOf('throttled', { retryAfterMs: 300_000 });
    return undefined;
  };
  await stage.advance(1_000);
  stage.cloud.setStatus('silent', 'not-found');
  stage.api.put(knownNode({ name: 'silent', ready: false, labels: twoPlaces }));
  await stage.advance(290_000);
  t.ok(stage.api.node('silent'));
  t.match(stage.controller.nodes().get('uid-of-silent')?.record?.result, { status: 'unknown' });
});

await t.test('a Node that is found to be in another place does not wait for the first one', async (t) => {
  const stage = startHarness();
  stage.cloud.lookUpOverride = async (_nodes, _context, { key }) => {
    if (key === 'toy/here') throw failureOf('throttled', { retryAfterMs: 300_000 });
    return undefined;
  };
  stage.api.put(newNode({ name: 'moved' }));
  await stage.advance(2_000);
  stage.api.change('moved', (node) => ({ ...node, spec: { ...node.spec, providerID: 'toy://there/moved' } }));
  await stage.advance(2_000);
  t.ok(isInitialized(stage, 'moved'));
});

await t.test('many requests of other look-ups do not delay a new Node', async (t) => {
  const stage = startHarness();
  stage.cloud.lookUpOverride = async (nodes, { beforeCall }) => {
    if (nodes.every(({ name }) => name.startsWith('here'))) {
      await Promise.all(Array.from({ length: 60 }, () => beforeCall()));
    }
    return undefined;
  };
  for (let index = 0; index < 200; index += 1) stage.api.put(knownNode({ name: `here-${index}`, ready: false }));
  await stage.advance(5_000);
  for (let index = 0; index < 10; index += 1) {
    const name = `new-${index}`;
    stage.api.put(newNode({ name }));
    await stage.advance(1_370);
    t.ok(isInitialized(stage, name), name);
  }
});

await t.test('a new Node is looked up within the pause of its scope after the cloud has come back', async (t) => {
  for (const minutes of [1, 2, 3, 4]) {
    const stage = startHarness();
    stage.cloud.lookUpOverride = () => Promise.reject(failureOf('unavailable'));
    stage.api.put(newNode({ name: 'new' }));
    await stage.advance(minutes * 60_000);
    stage.cloud.lookUpOverride = undefined;
    await stage.advance(16_000);
    t.ok(isInitialized(stage, 'new'), `after ${minutes} minutes`);
  }
});

await t.test('a throttled request closes the scope before its look-up has ended', async (t) => {
  const stage = startHarness();
  const headers = { 'retry-after': '20' };
  stage.send = async () => ({ status: 429, headers, body: new Uint8Array() });
  const callsAtMs: number[] = [];
  stage.cloud.lookUpOverride = async (_nodes, { beforeCall, http, signal, clock }) => {
    const request = { method: 'GET', url: new URL('https://cloud.test/'), headers: {}, route: 'proxied' } as const;
    await http.send({ ...request, limits: { connectMs: 1, totalMs: 1 } }, signal);
    await beforeCall();
    await beforeCall();
    callsAtMs.push(clock.monotonicMs());
    return undefined;
  };
  stage.api.put(knownNode({ name: 'here-0' }));
  await stage.advance(19_000);
  t.strictSame(callsAtMs, []);
  await stage.advance(2_000);
  t.equal(callsAtMs.length, 1);
});

await t.test('what can never be read is read less and less often', async (t) => {
  const stage = startHarness();
  stage.cloud.unread = ['external-addresses'];
  stage.api.put(knownNode({ name: 'here-0' }));
  await stage.advance(3_600_000);
  const { length } = stage.cloud.lookups;
  await stage.advance(3_600_000);
  t.ok(stage.cloud.lookups.length - length <= 12, `${stage.cloud.lookups.length - length} look-ups in an hour`);
});

await t.test('a Node that is not Ready is looked up each monitor period also if a part cannot be read', async (t) => {
  const stage = startHarness();
  stage.cloud.unread = ['external-addresses'];
  stage.api.put(knownNode({ name: 'here-0', ready: false }));
  await stage.advance(1_000);
  const { length } = stage.cloud.lookups;
  await stage.advance(50_000);
  t.equal(stage.cloud.lookups.length - length, 10);
});

await t.test(
  'an instance that was missing for a moment is looked up again long before the Node is old enough',
  async (t) => {
    const stage = startHarness();
    stage.api.put(knownNode({ name: 'awake' }));
    stage.cloud.setStatus('young', 'not-found');
    stage.api.put(knownNode({ name: 'young', ready: false, ageMs: 0 }));
    await stage.advance(45_000);
    stage.cloud.setStatus('young', 'stopped');
    await stage.advance(30_000);
    t.ok(stage.api.node('young')?.spec.taints?.some(({ key }) => key.endsWith('/shutdown')));
  },
);

await t.test('a place whose Nodes are replaced by others does not get all its requests again', async (t) => {
  const stage = startHarness();
  let calls = 0;
  stage.cloud.lookUpOverride = async (_nodes, { beforeCall }, { key }) => {
    if (key !== 'toy/there') return undefined;
    for (let call = 0; call < 60; call += 1) {
      await beforeCall();
      calls += 1;
    }
    return undefined;
  };
  stage.api.put(knownNode({ name: 'here-0', ready: false }));
  stage.api.put(knownNode({ name: 'there-0', region: 'there' }));
  await stage.advance(200);
  stage.api.delete('there-0');
  await stage.advance(6_000);
  stage.api.put(knownNode({ name: 'there-1', region: 'there' }));
  await stage.advance(4_000);
  t.ok(calls <= 50 + 5 * 11, `${calls} requests in 10 s`);
});
