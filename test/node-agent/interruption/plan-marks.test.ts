import t from 'tap';
import { decideInterruption } from '../../../node-agent/interruption/decide.ts';
import { mergeNotices } from '../../../node-agent/interruption/merge-notices.ts';
import type { KnownNotice } from '../../../node-agent/interruption/merge-notices.ts';
import { planMarks } from '../../../node-agent/interruption/plan-marks.ts';
import { readState } from '../../../node-agent/interruption/state.ts';
import type { DrainRecord } from '../../../node-agent/interruption/state.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { keys } from '../../../schemas/keys.ts';
import { nodeWith } from '../node-object.ts';
import { defaultSettings, notice, nowMs } from './notices.ts';

const theirs = { key: 'example.com/keep', effect: 'NoSchedule' } as const;
const ends = notice({ atMs: nowMs + 120_000 });
const advice = notice({ effect: 'may-end', id: 'r-1' });
const drain: DrainRecord = { startedAtMs: nowMs, isFinished: false };

await t.test('an announced end: taint, cordon and state in one patch', (t) => {
  const plan = planMarks(withTheirs(false), decide([ends]), { notices: [ends], drain });
  t.match(plan?.patch, {
    metadata: { resourceVersion: '1', annotations: { [keys.interruptionState]: /"hasOurCordon":true/ } },
    spec: {
      taints: [theirs, { key: keys.interruptionTaint, value: 'ends', effect: 'NoSchedule' }],
      unschedulable: true,
    },
  });
  t.strictSame(plan?.changes, ['add taint polycloud.dev/interruption=ends:NoSchedule', 'cordon', 'record the state']);
  t.end();
});

await t.test('what is marked already is not written again', (t) => {
  const marked = apply(withTheirs(false), [ends], drain);
  t.strictSame(readState(marked), { notices: [ends], hasOurCordon: true, drain });
  t.equal(planMarks(marked, decide([ends]), { notices: [ends], drain }), undefined);
  t.equal(planMarks(withTheirs(true), decide([]), { notices: [] }), undefined);
  t.end();
});

await t.test('a withdrawn notice: exactly our marks go', (t) => {
  const plan = planMarks(apply(withTheirs(false), [ends], drain), decide([]), { notices: [] });
  t.strictSame(plan?.patch, {
    metadata: { resourceVersion: '1', annotations: { [keys.interruptionState]: null } },
    spec: { taints: [theirs], unschedulable: null },
  });
  t.end();
});

await t.test('the cordon of a person stays', (t) => {
  const marked = apply(withTheirs(true), [ends], drain);
  t.equal(readState(marked).hasOurCordon, false);
  const plan = planMarks(marked, decide([]), { notices: [] });
  t.strictSame(plan?.patch.spec, { taints: [theirs] });
  t.end();
});

await t.test('a person uncordons: with the notice we cordon again, after it there is nothing to undo', (t) => {
  const marked = apply(withTheirs(false), [ends], drain);
  const uncordoned: Node = { ...marked, spec: { taints: marked.spec.taints ?? [] } };
  t.match(planMarks(uncordoned, decide([ends]), { notices: [ends], drain })?.patch.spec, { unschedulable: true });
  t.notOk('unschedulable' in (planMarks(uncordoned, decide([]), { notices: [] })?.patch.spec ?? {}));
  t.end();
});

await t.test('advice becomes a deadline, and back', (t) => {
  const advised = apply(withTheirs(false), [advice]);
  t.strictSame(advised.spec.taints?.at(-1), {
    key: keys.interruptionTaint,
    effect: 'PreferNoSchedule',
    value: 'may-end',
  });
  t.equal(advised.spec.unschedulable, undefined);
  const drained = apply(advised, [advice, ends], drain);
  t.equal(drained.spec.taints?.length, 2, 'one taint of ours');
  t.equal(drained.spec.unschedulable, true);
  const back = apply(drained, [advice]);
  t.strictSame(back.spec.taints, advised.spec.taints);
  t.equal(back.spec.unschedulable, undefined);
  t.end();
});

await t.test('a state that is not ours counts as none', (t) => {
  for (const text of [
    '',
    'x',
    '[]',
    '{"notices":5}',
    '{"notices":[],"hasOurCordon":1}',
    '{"notices":[{}],"hasOurCordon":"no"}',
    JSON.stringify({ notices: [{ ...ends, atMs: 1e300 }], hasOurCordon: true }),
    JSON.stringify({ notices: [{ ...ends, state: 'soon' }], hasOurCordon: true }),
    JSON.stringify({ notices: [ends], hasOurCordon: true, drain: { startedAtMs: 1e300, isFinished: false } }),
  ]) {
    t.strictSame(readState(nodeWith({ annotations: { [keys.interruptionState]: text } })).notices, [], text);
  }
  const partly = JSON.stringify({ notices: [ends, { id: 5 }, null], hasOurCordon: true, drain });
  t.strictSame(readState(nodeWith({ annotations: { [keys.interruptionState]: partly } })), {
    notices: [ends],
    hasOurCordon: true,
    drain,
  });
  t.end();
});

await t.test('the state has a bounded size', (t) => {
  const text = 'x'.repeat(10_000);
  const many = Array.from({ length: 500 }, (_, at) => notice({ id: `${String(at)}${text}`, vendorText: text }));
  const known = mergeNotices([], { notices: many, unread: [] }, { nowMs, unknownTimeMs: 120_000 });
  const plan = planMarks(nodeWith({}), decide(known), { notices: known });
  t.ok(String(plan?.patch.metadata.annotations?.[keys.interruptionState]).length < 20_000);
  t.end();
});

function decide(notices: readonly KnownNotice[]): ReturnType<typeof decideInterruption> {
  return decideInterruption(notices, defaultSettings, nowMs);
}

function withTheirs(unschedulable: boolean): Node {
  const node = nodeWith({});
  return { ...node, spec: { taints: [theirs], ...(unschedulable && { unschedulable }) } };
}

/** The Node after the planned patch. */
function apply(node: Node, notices: readonly KnownNotice[], record?: DrainRecord): Node {
  const patch = planMarks(node, decide(notices), { notices, ...(record !== undefined && { drain: record }) })?.patch;
  const { unschedulable, taints } = { ...node.spec, ...patch?.spec };
  const annotation = patch?.metadata.annotations?.[keys.interruptionState];
  return {
    ...nodeWith({ ...(typeof annotation === 'string' && { annotations: { [keys.interruptionState]: annotation } }) }),
    spec: { ...(taints !== undefined && { taints }), ...(unschedulable === true && { unschedulable }) },
  };
}
