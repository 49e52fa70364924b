import t from 'tap';
import type { LeaseView } from '../../../ccm/leader-election/decide.ts';
import { decide, emptyView, observe, released } from '../../../ccm/leader-election/decide.ts';
import type { Lease } from '../../../schemas/kubernetes.ts';

const me = { identity: 'me_1', leaseDurationMs: 15_000 };
const wallMs = Date.parse('2026-11-18T12:00:00.250Z');
const at = (monotonicMs: number): { monotonicMs: number; wallMs: number } => ({ monotonicMs, wallMs });
const held: Lease['spec'] = {
  holderIdentity: 'other_2',
  leaseDurationSeconds: 15,
  acquireTime: '2026-11-18T11:00:00.000000Z',
  renewTime: '2026-11-18T11:59:59.123456Z',
  leaseTransitions: 4,
};

await t.test('no lease: it is created, in the form that Kubernetes has', (t) => {
  const spec = {
    holderIdentity: 'me_1',
    leaseDurationSeconds: 15,
    acquireTime: '2026-11-18T12:00:00.250000Z',
    renewTime: '2026-11-18T12:00:00.250000Z',
    leaseTransitions: 0,
  };
  t.strictSame(decide(observe(emptyView, undefined, 5), me, at(5)), { do: 'create', spec });
  t.end();
});

await t.test("another's lease is waited for from when it was seen, whatever its own times say", (t) => {
  const longAgo = { ...held, renewTime: '2001-01-01T00:00:00.000000Z' };
  const view = observe(emptyView, lease('1', longAgo), 1_000);
  t.strictSame(decide(view, me, at(1_000)), { do: 'wait', untilMs: 16_000 });
  t.strictSame(decide(view, me, at(15_999)), { do: 'wait', untilMs: 16_000 });
  t.equal(decide(view, me, at(16_000)).do, 'update');
  t.end();
});

await t.test('the duration that counts is the one its holder promised', (t) => {
  const view = observe(emptyView, lease('1', { ...held, leaseDurationSeconds: 60 }), 0);
  t.strictSame(decide(view, me, at(59_999)), { do: 'wait', untilMs: 60_000 });
  t.end();
});

await t.test('a renewal starts the wait again; a new version alone does not', (t) => {
  const first = observe(emptyView, lease('1', held), 0);
  const labelled = observe(first, lease('2', held), 9_000);
  t.equal(labelled.heldUntilMs, 15_000);
  t.equal(labelled.lease?.metadata.resourceVersion, '2');
  const renewed = observe(labelled, lease('3', { ...held, renewTime: '2026-11-18T12:00:01.000000Z' }), 10_000);
  t.equal(renewed.heldUntilMs, 25_000);
  t.end();
});

await t.test('taking over: a new term, the version that was seen, and fields that are not ours stay', (t) => {
  const withMore = { ...held, strategy: 'OldestEmulationVersion' };
  const decision = decide(observe(emptyView, lease('7', withMore), 0), me, at(15_000));
  const now = '2026-11-18T12:00:00.250000Z';
  const mine = { holderIdentity: 'me_1', acquireTime: now, renewTime: now, leaseTransitions: 5 };
  t.strictSame(decision, { do: 'update', lease: lease('7', { ...withMore, ...mine }) });
  t.end();
});

await t.test('renewing changes the time of renewal alone', (t) => {
  const mine = { ...held, holderIdentity: 'me_1' };
  const decision = decide(observe(emptyView, lease('7', mine), 0), me, at(20_000));
  t.strictSame(decision, { do: 'update', lease: lease('7', { ...mine, renewTime: '2026-11-18T12:00:00.250000Z' }) });
  t.end();
});

await t.test('a lease that was given back is taken at once', (t) => {
  const view = observe(emptyView, released(lease('7', held), wallMs), 0);
  t.equal(view.lease?.spec.holderIdentity, '');
  t.equal(view.lease?.spec.leaseDurationSeconds, 1);
  t.equal(view.lease?.spec.leaseTransitions, 4);
  t.equal(decide(view, me, at(0)).do, 'update');
  t.end();
});

await t.test('a lease that was removed does not stop its holder: the others go on waiting', (t) => {
  const view: LeaseView = observe(observe(emptyView, lease('1', held), 0), undefined, 5_000);
  t.strictSame(decide(view, me, at(5_000)), { do: 'wait', untilMs: 15_000 });
  t.equal(decide(view, me, at(15_000)).do, 'create');
  t.equal(decide(view, { ...me, identity: 'other_2' }, at(5_000)).do, 'create');
  t.end();
});

function lease(resourceVersion: string, spec: Lease['spec']): Lease {
  return { metadata: { name: 'l', uid: 'u', resourceVersion, creationTimestamp: '2026-11-18T10:00:00Z' }, spec };
}
