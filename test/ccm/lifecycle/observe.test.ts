import t from 'tap';
import { explainDecision } from '../../../ccm/lifecycle/decision.ts';
import { ambiguous, badCanary, createHarness, notFound, running, stopped, terminated, unknown } from './harness.ts';

await t.test('terminated: two sightings, 10 s apart', async (t) => {
  const { observe: see } = createHarness();
  t.match(see({ atMs: 0, result: terminated }), {
    action: { do: 'wait', nextLookupInMs: 10_000 },
    reason: 'terminated seen 1 of 2 times over 0 of 10 s; next look-up in 10 s',
  });
  t.match(see({ atMs: 9_999, result: terminated }).action, { do: 'wait', nextLookupInMs: 1 });
  t.strictSame(see({ atMs: 10_000, result: terminated }).action, { do: 'delete', uid: 'uid-1', status: 'terminated' });
});

await t.test('not-found: three sightings over 60 s, spread evenly', async (t) => {
  const { observe: see } = createHarness();
  t.match(see({ atMs: 0, result: notFound }).action, { do: 'wait', nextLookupInMs: 30_000 });
  t.equal(
    see({ atMs: 31_000, result: notFound }).reason,
    'not-found seen 2 of 3 times over 31 of 60 s; next look-up in 29 s',
  );
  t.match(see({ atMs: 59_999, result: notFound }).action, { do: 'wait', nextLookupInMs: 1 });
  t.strictSame(see({ atMs: 60_000, result: notFound }).action, { do: 'delete', uid: 'uid-1', status: 'not-found' });
});

await t.test('not-found of a Node of exactly five minutes is not enough', async (t) => {
  const { observe: see } = createHarness();
  see({ atMs: 0, result: notFound, ageMs: 240_000 });
  see({ atMs: 30_000, result: notFound, ageMs: 270_000 });
  const { action, reason } = see({ atMs: 60_000, result: notFound, ageMs: 300_000 });
  t.strictSame(action, { do: 'wait', nextLookupInMs: 1 });
  t.match(reason, 'the Node is 300 s old; more than 300 s are needed');
  t.match(see({ atMs: 60_001, result: notFound, ageMs: 300_001 }).action, { do: 'delete' });
});

await t.test('unknown in between counts neither way, present and Ready void all', async (t) => {
  for (const { between, deletes } of [
    { between: { result: unknown }, deletes: true },
    { between: { result: running, canary: badCanary }, deletes: false },
    { between: { result: ambiguous }, deletes: false },
    { between: { ready: true }, deletes: false },
    { between: { result: notFound }, deletes: true },
    { between: { result: notFound, canary: badCanary }, deletes: true },
  ]) {
    const { observe: see } = createHarness();
    see({ atMs: 0, result: terminated });
    see({ atMs: 5_000, ...between });
    t.equal(see({ atMs: 20_000, result: terminated }).action.do === 'delete', deletes, JSON.stringify(between));
  }
});

await t.test('another providerID or another UID begins anew', async (t) => {
  for (const other of [{ providerId: 'cloud:///i-2' }, { uid: 'uid-2' }]) {
    const { observe: see } = createHarness();
    see({ atMs: 0, result: terminated });
    t.match(see({ atMs: 10_000, result: terminated, ...other }).action, { do: 'wait' });
    t.match(see({ atMs: 20_000, result: terminated, ...other }).action, { do: 'delete', uid: other.uid ?? 'uid-1' });
  }
});

await t.test('a clock that goes far back begins anew', async (t) => {
  const { observe: see } = createHarness();
  see({ atMs: 1_000_000, result: terminated });
  t.match(see({ atMs: 0, result: terminated }).action, { do: 'wait' });
  t.match(see({ atMs: 9_999, result: terminated }).action, { do: 'wait' });
  t.match(see({ atMs: 10_000, result: terminated }).action, { do: 'delete' });
});

await t.test('foreign and unmanaged Nodes are left alone, whatever the result', async (t) => {
  for (const ownership of ['foreign', 'unmanaged'] as const) {
    const { observe: see } = createHarness();
    for (const finding of [terminated, notFound, stopped, ambiguous, terminated]) {
      const { action, report, reason } = see({
        atMs: 20_000,
        result: finding,
        ownership,
        ready: true,
        taints: new Set(['shutdown']),
      });
      t.strictSame(
        { action, report, reason },
        {
          action: { do: 'nothing' },
          report: undefined,
          reason: `the Node is ${ownership}: it is left alone`,
        },
      );
    }
  }
});

await t.test('an instance that was never found is reported once, never deleted', async (t) => {
  for (const never of [{ uninitialized: true }, { providerId: '' }]) {
    const { observe: see } = createHarness();
    const reported = [0, 60_000, 120_000, 1_000_000].map((atMs) => {
      const { action, report } = see({ atMs, result: notFound, ...never });
      t.strictSame(action, { do: 'nothing' });
      return report?.kind;
    });
    t.strictSame(reported, ['InstanceNeverFound', undefined, undefined, undefined]);
  }
});

await t.test('reports come before deeds, and only as news', async (t) => {
  const { observe: see } = createHarness();
  const kinds = [
    see({ atMs: 0, result: running }),
    see({ atMs: 1_000, result: terminated, canary: badCanary }),
    see({ atMs: 2_000, result: terminated, ready: true }),
    see({ atMs: 3_000, result: terminated }),
    see({ atMs: 4_000, result: terminated }),
    see({ atMs: 5_000, result: running }),
    see({ atMs: 6_000, result: ambiguous }),
    see({ atMs: 7_000, result: terminated }),
    see({ atMs: 17_000, result: terminated }),
    see({ atMs: 18_000, result: terminated, reported: 'DeletingNode' }),
    see({ atMs: 19_000, result: terminated, reported: 'InstanceFound' }),
    see({ atMs: 20_000, result: terminated }),
  ].map(({ report }) => report?.kind);
  t.strictSame(kinds, [
    undefined,
    undefined,
    'InstanceGoneButReady',
    'InstanceGone',
    undefined,
    'InstanceFound',
    'InstanceAmbiguous',
    'InstanceGone',
    'DeletingNode',
    undefined,
    // Something else has changed or removed the condition.
    'DeletingNode',
    'DeletingNode',
  ]);
});

await t.test('what an earlier process wrote on the Node is cleared when the instance is found', async (t) => {
  const { report } = createHarness().observe({ atMs: 0, result: running, reported: 'InstanceGone' });
  t.match(report, { kind: 'InstanceFound', clearsCondition: true, type: 'Normal' });
});

await t.test('the shutdown taint', async (t) => {
  const shutdown = new Set(['shutdown'] as const);
  const both = new Set(['shutdown', 'out-of-service'] as const);
  const add = (...names: readonly string[]): object => ({ do: 'taint', add: names, remove: [] });
  const remove = (...names: readonly string[]): object => ({ do: 'taint', add: [], remove: names });
  const nothing = { do: 'nothing' };
  for (const [seen, settings, action] of [
    [{ result: stopped }, {}, add('shutdown')],
    [{ result: stopped }, { outOfServiceTaint: true }, add('shutdown', 'out-of-service')],
    [{ result: stopped, taints: shutdown }, { outOfServiceTaint: true }, add('out-of-service')],
    [{ result: stopped, taints: shutdown }, {}, nothing],
    [{ result: stopped, ready: true }, {}, nothing],
    [{ result: stopped, ready: true, taints: shutdown }, {}, remove('shutdown')],
    [{ result: running, taints: both }, {}, remove('shutdown')],
    [{ result: running, taints: both }, { outOfServiceTaint: true }, remove('shutdown', 'out-of-service')],
    [{ ready: true, taints: shutdown }, {}, remove('shutdown')],
    [{ taints: shutdown }, {}, nothing],
    [{ result: unknown, taints: shutdown }, {}, nothing],
    [{ result: running }, {}, nothing],
  ] as const) {
    t.strictSame(createHarness(settings).observe({ atMs: 0, ...seen }).action, action, JSON.stringify(seen));
  }
});

await t.test('a Node that is being deleted is not deleted again', async (t) => {
  const { observe: see } = createHarness();
  see({ atMs: 0, result: terminated });
  t.match(see({ atMs: 10_000, result: terminated, beingDeleted: true }).action, { do: 'wait', nextLookupInMs: 10_000 });
});

await t.test('every rule of a deletion is explained', async (t) => {
  const { observe: see } = createHarness();
  const lines = explainDecision(see({ atMs: 0, result: notFound, canary: badCanary }));
  t.equal(
    lines[0],
    'the cloud reports not-found, which does not count: 0 of 5 Ready nodes were found in the same look-up',
  );
  t.ok(lines.some((line) => /^no {3}the same look-up found a Ready node/.test(line)));
  t.ok(lines.some((line) => /^yes {2}the Node is not Ready \(/.test(line)));
  t.equal(lines.length, 10);
});
