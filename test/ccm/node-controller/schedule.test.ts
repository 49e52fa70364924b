import t from 'tap';
import { knownNode, newNode, startHarness, sweepMs, withLabel, withReady } from './harness.ts';
import type { ControllerHarness } from './harness.ts';
import { failureOf } from './toy-cloud.ts';

function lookupsSince({ cloud }: ControllerHarness, atMs: number): ControllerHarness['cloud']['lookups'] {
  return cloud.lookups.filter((lookup) => lookup.atMs >= atMs);
}

function putKnown(
  { api }: ControllerHarness,
  count: number,
  overrides: Partial<Parameters<typeof knownNode>[0]> = {},
): void {
  for (let index = 0; index < count; index += 1) {
    api.put(knownNode({ name: `${overrides.region ?? 'here'}-${index}`, ...overrides }));
  }
}

await t.test('all Nodes of a scope are asked for in batches, each once', async (t) => {
  const stage = startHarness();
  putKnown(stage, 45);
  await stage.advance(1_000);
  t.strictSame(
    stage.cloud.lookups.map(({ names }) => names.length),
    [20, 20, 5],
  );
  t.equal(new Set(stage.cloud.lookups.flatMap(({ names }) => names)).size, 45);
});

await t.test('each scope has batches of its own', async (t) => {
  const stage = startHarness();
  for (const place of ['here', 'there']) putKnown(stage, 3, { region: place });
  await stage.advance(1_000);
  t.strictSame(
    stage.cloud.lookups.map(({ scope, names }) => [scope, names.length]),
    [
      ['toy/here', 3],
      ['toy/there', 3],
    ],
  );
});

await t.test('Ready Nodes are asked for again at one common moment', async (t) => {
  const stage = startHarness();
  putKnown(stage, 5);
  await stage.advance(10_000);
  stage.api.put(knownNode({ name: 'later' }));
  await stage.advance(10_000);
  const soon = stage.clock.monotonicMs();
  await stage.advance(sweepMs);
  t.strictSame(
    lookupsSince(stage, soon).map(({ names }) => names.length),
    [6],
  );
});

await t.test(
  'a Node that is not Ready is looked up each monitor period, and Ready ones only to verify that it is gone',
  async (t) => {
    const stage = startHarness();
    putKnown(stage, 8);
    stage.api.put(knownNode({ name: 'silent', ready: false }));
    await stage.advance(10_000);
    const looks = lookupsSince(stage, 1_000);
    t.equal(looks.length, 1);
    await stage.advance(50_000);
    t.equal(lookupsSince(stage, 1_000).length, 11);
    for (const { names, verified } of lookupsSince(stage, 1_000)) t.strictSame([names, verified], [['silent'], []]);
    stage.cloud.setStatus('silent', 'not-found');
    await stage.advance(5_000);
    t.equal(lookupsSince(stage, 60_000).at(-1)?.verified.length, 5);
  },
);

await t.test('one that falls out is asked for at once', async (t) => {
  const stage = startHarness();
  putKnown(stage, 2);
  await stage.advance(60_000);
  stage.api.change('here-0', (node) => withReady(node, false));
  await stage.advance(200);
  t.match(lookupsSince(stage, 60_000), [{ names: ['here-0'] }]);
});

await t.test('new Nodes that register one after the other share calls', async (t) => {
  const stage = startHarness();
  for (let index = 0; index < 40; index += 1) {
    stage.api.put(newNode({ name: `new-${index}` }));
    await stage.advance(50);
  }
  await stage.advance(2_000);
  t.equal(stage.counts.initialized, 40);
  t.ok(stage.cloud.lookups.length <= 5, `${stage.cloud.lookups.length} calls`);
});

await t.test('a scope takes five calls a second, after fifty at once', async (t) => {
  const stage = startHarness();
  putKnown(stage, 20 * 60);
  await stage.advance(100);
  t.equal(stage.cloud.lookups.length, 50);
  await stage.advance(1_000);
  t.equal(stage.cloud.lookups.length, 55);
  await stage.advance(2_000);
  t.equal(stage.cloud.lookups.length, 60);
});

await t.test('one throttled result of a batch slows the whole scope down', async (t) => {
  const stage = startHarness();
  putKnown(stage, 3, { ready: false });
  const throttled = { status: 'unknown', failure: failureOf('throttled', { retryAfterMs: 42_000 }) } as const;
  stage.cloud.lookUpOverride = async ([first]) => new Map(first === undefined ? [] : [[first.uid, throttled]]);
  await stage.advance(1_000);
  t.equal(stage.cloud.lookups.length, 1);
  await stage.advance(40_000);
  t.equal(stage.cloud.lookups.length, 1);
  await stage.advance(5_000);
  t.equal(stage.cloud.lookups.length, 2);
});

await t.test('Retry-After is waited for, and only in the scope that asked for it', async (t) => {
  const stage = startHarness();
  putKnown(stage, 1, { ready: false });
  putKnown(stage, 1, { ready: false, region: 'there' });
  stage.cloud.lookUpOverride = (nodes) =>
    nodes.some(({ name }) => name.startsWith('here'))
      ? Promise.reject(failureOf('throttled', { retryAfterMs: 42_000 }))
      : Promise.resolve(new Map());
  await stage.advance(1_000);
  stage.cloud.lookUpOverride = undefined;
  await stage.advance(41_000);
  const ofScope = (key: string): number => stage.cloud.lookups.filter(({ scope }) => scope === key).length;
  t.equal(ofScope('toy/here'), 1);
  t.ok(ofScope('toy/there') > 5);
  await stage.advance(5_000);
  t.equal(ofScope('toy/here'), 2);
});

await t.test('failures make the pauses longer, up to 15 s, and one answer ends them', async (t) => {
  const stage = startHarness();
  putKnown(stage, 1, { ready: false });
  stage.cloud.lookUpOverride = () => Promise.reject(failureOf('unavailable'));
  await stage.advance(5 * 60_000);
  const times = stage.cloud.lookups.map(({ atMs }) => atMs);
  const pauses = times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0));
  t.ok(Math.max(...pauses) <= 15_000 && Math.max(...pauses) > 10_000, pauses.join(' '));
  stage.cloud.lookUpOverride = undefined;
  await stage.advance(15_000);
  const again = stage.clock.monotonicMs();
  await stage.advance(20_000);
  t.equal(lookupsSince(stage, again).length, 4, 'each monitor period again');
});

await t.test('one Node that cannot be written does not keep the others waiting', async (t) => {
  const stage = startHarness();
  for (const name of ['stuck', 'other']) stage.api.put(newNode({ name }));
  let release = (): void => {};
  stage.hooks.on('patch status', 'sent', () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    release = () => resolve(undefined);
    return promise;
  });
  await stage.advance(10_000);
  t.equal(stage.counts.initialized, 1);
  release();
  await stage.advance(0);
  t.equal(stage.counts.initialized, 2);
});

await t.test('scopes of a region that a kubelet made up are forgotten', async (t) => {
  const stage = startHarness();
  putKnown(stage, 1);
  const region = 'topology.kubernetes.io/region';
  stage.api.put(newNode({ name: 'liar', labels: { [region]: 'made-up-0' } }));
  stage.cloud.setStatus('liar', 'unknown');
  for (let count = 1; count <= 50; count += 1) {
    await stage.advance(30_000);
    stage.api.change('liar', (node) => withLabel(node, region, `made-up-${count}`));
  }
  await stage.advance(sweepMs);
  t.strictSame([...stage.controller.scopes().all()].map(({ key }) => key).toSorted(), ['toy/here', 'toy/made-up-50']);
  t.ok(
    stage.cloud.lookups.some(({ scope }) => scope === 'toy/made-up-7'),
    'each was asked once',
  );
});

await t.test('a scope whose Nodes are gone is remembered while its missing Nodes count', async (t) => {
  const stage = startHarness();
  putKnown(stage, 1);
  for (const name of ['a', 'b', 'c', 'd']) {
    stage.cloud.setStatus(name, 'not-found');
    stage.api.put(knownNode({ name, ready: false, region: 'there' }));
  }
  await stage.advance(60_000);
  for (const name of ['a', 'b', 'c', 'd']) stage.api.delete(name);
  const isKnown = (): boolean => [...stage.controller.scopes().all()].some(({ key }) => key === 'toy/there');
  await stage.advance(sweepMs);
  t.equal(isKnown(), true, 'for ten minutes');
  await stage.advance(3 * sweepMs);
  t.equal(isKnown(), false);
  t.equal(stage.counts.breakers.get('toy/there'), false);
});

await t.test(
  'a new Node waits for others like it for a second at most, however often other Nodes are asked for',
  async (t) => {
    const stage = startHarness();
    for (let index = 0; index < 16; index += 1) {
      stage.api.put(knownNode({ name: `down-${index}`, ready: false }));
      await stage.advance(300);
    }
    await stage.advance(10_000);
    stage.api.put(newNode({ name: 'new' }));
    await stage.advance(1_100);
    t.strictSame(
      stage.cloud.lookups.flatMap(({ names }) => names).filter((name) => name === 'new'),
      ['new'],
    );
  },
);
