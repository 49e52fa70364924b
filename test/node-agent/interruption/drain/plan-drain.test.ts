import t from 'tap';
import type { DrainPod } from '../../../../node-agent/interruption/drain/drain-pod.ts';
import { planDrain } from '../../../../node-agent/interruption/drain/plan-drain.ts';
import type { DrainAttempt, DrainPlan } from '../../../../node-agent/interruption/drain/plan-drain.ts';
import { nowMs, secondMs } from '../notices.ts';
import { drainPod } from './pods.ts';

interface Row {
  readonly pods: readonly DrainPod[];
  /** After the start of the drain, as the others. Absent: no deadline. */
  readonly endAtS?: number;
  readonly atS?: number;
  /** Of the pod `a`. */
  readonly attempt?: { readonly retryAtS: number; readonly wasRefused: boolean };
  readonly plans: string;
}

const a = drainPod('a');
const endingAfter = (name: string, seconds: number): DrainPod =>
  drainPod(name, { endsAtMs: nowMs + seconds * secondMs });
const refused = (retryAtS: number): NonNullable<Row['attempt']> => ({ retryAtS, wasRefused: true });
const later = drainPod('later', { annotations: { 'polycloud.dev/drain-order': '10' } });

const rows: Readonly<Record<string, Row>> = {
  'no pods': { pods: [], plans: '0 remain' },
  'a pod is evicted with its own grace': { pods: [a], endAtS: 110, plans: 'evict a; 1 remain' },
  'without a deadline too': { pods: [a], plans: 'evict a; 1 remain' },
  'pods that stay': {
    pods: [
      drainPod('d', { owner: 'DaemonSet' }),
      drainPod('m', { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      drainPod('s', { phase: 'Succeeded' }),
      drainPod('f', { phase: 'Failed' }),
      drainPod('x', { annotations: { 'polycloud.dev/drain': 'false' } }),
    ],
    plans: '0 remain',
  },
  'a pod of a ReplicaSet, a pending pod and a pod without an owner go': {
    pods: [drainPod('r', { owner: 'ReplicaSet' }), drainPod('p', { phase: 'Pending' }), a],
    plans: 'evict r, evict p, evict a; 3 remain',
  },
  'a pod that was asked to go is waited for': { pods: [endingAfter('a', 30)], endAtS: 110, plans: '1 remain' },
  'a pod with more grace than there is time gets what is left': {
    pods: [drainPod('a', { graceSeconds: 300 })],
    endAtS: 110,
    plans: 'evict a 110 s; 1 remain',
  },
  'a pod that would end too late gets less': {
    pods: [endingAfter('a', 300)],
    endAtS: 110,
    plans: 'delete a; 1 remain',
  },
  'and less than its own grace if there is less': {
    pods: [endingAfter('a', 300)],
    endAtS: 20,
    plans: 'delete a 20 s; 1 remain',
  },
  'clocks differ a little': { pods: [endingAfter('a', 113)], endAtS: 110, plans: '1 remain' },
  'it is not asked again at once': {
    pods: [endingAfter('a', 300)],
    endAtS: 110,
    attempt: { retryAtS: 5, wasRefused: false },
    plans: '1 remain, again at 5 s',
  },
  'a refused eviction is tried again after a while': {
    pods: [a],
    endAtS: 110,
    attempt: refused(5),
    plans: '1 remain, again at 5 s',
  },
  'after that while': { pods: [a], endAtS: 110, atS: 5, attempt: refused(5), plans: 'evict a; 1 remain' },
  'the last try before its time is cut short by it': {
    pods: [a],
    endAtS: 110,
    atS: 78,
    attempt: refused(82),
    plans: '1 remain, again at 80 s',
  },
  'in time for its grace it is deleted': {
    pods: [a],
    endAtS: 110,
    atS: 80,
    attempt: refused(82),
    plans: 'delete a; 1 remain',
  },
  'without a deadline a budget is never overridden': {
    pods: [a],
    atS: 100_000,
    attempt: refused(5),
    plans: 'evict a; 1 remain',
  },
  'a long grace leaves the budget half of the time': {
    pods: [drainPod('a', { graceSeconds: 300 })],
    endAtS: 110,
    atS: 54,
    attempt: refused(56),
    plans: '1 remain, again at 55 s',
  },
  'then it gets the other half': {
    pods: [drainPod('a', { graceSeconds: 300 })],
    endAtS: 110,
    atS: 55,
    attempt: refused(56),
    plans: 'delete a 55 s; 1 remain',
  },
  'a late start tries an eviction first': { pods: [a], endAtS: 110, atS: 100, plans: 'evict a 10 s; 1 remain' },
  'after the end a pod still gets a moment': {
    pods: [a],
    endAtS: 110,
    atS: 130,
    attempt: refused(131),
    plans: 'delete a 2 s; 1 remain',
  },
  'a deleted pod that does not show it yet is waited for': {
    pods: [a],
    endAtS: 110,
    atS: 90,
    attempt: { retryAtS: 95, wasRefused: false },
    plans: '1 remain, again at 95 s',
  },
  'pods with a higher order wait for the others': {
    pods: [later, a],
    endAtS: 110,
    plans: 'evict a; 2 remain, again at 80 s',
  },
  'also for those that are ending': { pods: [later, endingAfter('a', 30)], plans: '2 remain' },
  'then it is their turn': { pods: [later], plans: 'evict later; 1 remain' },
  'or when their time has come': {
    pods: [later, endingAfter('a', 100)],
    endAtS: 110,
    atS: 80,
    plans: 'evict later; 2 remain',
  },
  'an order that is not a number counts as none': {
    pods: [drainPod('b', { annotations: { 'polycloud.dev/drain-order': 'last' } }), a],
    plans: 'evict b, evict a; 2 remain',
  },
};

for (const [what, { pods, endAtS, atS = 0, attempt, plans }] of Object.entries(rows)) {
  await t.test(what, (t) => {
    const times = { startedAtMs: nowMs, ...(endAtS !== undefined && { endAtMs: nowMs + endAtS * secondMs }) };
    const tried: readonly (readonly [string, DrainAttempt])[] =
      attempt === undefined
        ? []
        : [['uid-a', { retryAtMs: attempt.retryAtS * secondMs, wasRefused: attempt.wasRefused }]];
    const now = { wallMs: nowMs + atS * secondMs, monotonicMs: atS * secondMs };
    t.equal(textOf(planDrain(pods, times, new Map(tried), now), atS), plans);
    t.end();
  });
}

function textOf({ steps, remaining, planAgainInMs }: DrainPlan, atS: number): string {
  const stepTexts = steps.map(({ pod, how, graceSeconds }) =>
    [how, pod.metadata.name, ...(graceSeconds === undefined ? [] : [`${String(graceSeconds)} s`])].join(' '),
  );
  const again = planAgainInMs === undefined ? '' : `, again at ${String(planAgainInMs / secondMs + atS)} s`;
  return [...(steps.length === 0 ? [] : [stepTexts.join(', ')]), `${String(remaining)} remain${again}`].join('; ');
}
