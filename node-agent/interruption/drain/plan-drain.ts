import type { DrainPod } from './drain-pod.ts';

export interface DrainTimes {
  /** When the first agent of this Node began. */
  readonly startedAtMs: number;
  /** When all pods should have ended. Absent: there is no hurry. */
  readonly endAtMs?: number;
}

/** What was tried with a pod so far. */
export interface DrainAttempt {
  /** It is not tried again before this, on the monotonic clock, unless it was refused and the pod must go now. */
  readonly retryAtMs: number;
  /** An eviction failed, above all because of a budget. */
  readonly wasRefused: boolean;
}

/** By UID. */
export type DrainAttempts = ReadonlyMap<string, DrainAttempt>;

export interface DrainStep {
  readonly pod: DrainPod;
  readonly how: 'evict' | 'delete';
  /** Absent: the pod's own grace period. */
  readonly graceSeconds?: number;
}

export interface DrainPlan {
  /** To be sent now, in this order. */
  readonly steps: readonly DrainStep[];
  /** Pods that have to go and are still there. */
  readonly remaining: number;
  /** After how long time alone makes another step due. */
  readonly planAgainInMs?: number;
}

/** Deadlines are by wall time. Pauses are not: the clock of the machine may be set meanwhile. */
export interface DrainMoment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** A pod whose end is planned this much too late is left so: clocks differ. */
const lateToleranceMs = 5_000;
/** 0 would remove a pod while it still runs. */
const shortestGraceSeconds = 2;

/** Pure. `pods`: all of the Node. */
export function planDrain(
  pods: readonly DrainPod[],
  times: DrainTimes,
  attempts: DrainAttempts,
  now: DrainMoment,
): DrainPlan {
  const going = pods.filter(({ stays }) => stays === undefined);
  const firstOrder = Math.min(...going.map(({ order }) => order));
  const moves = going.map((pod) => planPod(pod, { times, firstOrder, attempt: attempts.get(pod.metadata.uid), now }));
  const steps = moves.flatMap((move) => (typeof move === 'object' ? [move] : []));
  const planAgainInMs = Math.min(...moves.filter((move) => typeof move === 'number'));
  return {
    steps: steps.toSorted((a, b) => a.pod.order - b.pod.order || triedAtMs(a) - triedAtMs(b)),
    remaining: going.length,
    ...(planAgainInMs < Infinity && { planAgainInMs }),
  };

  /** Pods whose requests fail again and again do not keep the others waiting. */
  function triedAtMs({ pod }: DrainStep): number {
    return attempts.get(pod.metadata.uid)?.retryAtMs ?? 0;
  }
}

interface PodSituation {
  readonly times: DrainTimes;
  readonly firstOrder: number;
  readonly attempt: DrainAttempt | undefined;
  readonly now: DrainMoment;
}

/** A step, the time until the next one, or `undefined`: only a change of the pods makes one due. */
function planPod(pod: DrainPod, situation: PodSituation): DrainStep | number | undefined {
  return pod.endsAtMs === undefined ? planRunning(pod, situation) : planEnding(pod, pod.endsAtMs, situation);
}

function planRunning(pod: DrainPod, situation: PodSituation): DrainStep | number | undefined {
  const { times, firstOrder, attempt, now } = situation;
  const forceInMs = forceTimeOf(pod, times) - now.wallMs;
  const isForced = forceInMs <= 0;
  if (!isForced && pod.order !== firstOrder) return forceInMs;
  const grace = graceFor(pod, times, now.wallMs);
  if (attempt === undefined) return { pod, how: 'evict', ...grace };
  if (isForced && attempt.wasRefused) return { pod, how: 'delete', ...grace };
  const retryInMs = attempt.retryAtMs - now.monotonicMs;
  if (retryInMs <= 0) return { pod, how: isForced ? 'delete' : 'evict', ...grace };
  return attempt.wasRefused ? Math.min(retryInMs, forceInMs) : retryInMs;
}

/** A pod that was asked to go before the deadline was known may have more time than there is. */
function planEnding(
  pod: DrainPod,
  endsAtMs: number,
  { times, attempt, now }: PodSituation,
): DrainStep | number | undefined {
  const { endAtMs } = times;
  if (endAtMs === undefined || endsAtMs <= Math.max(endAtMs, now.wallMs) + lateToleranceMs) return undefined;
  const retryInMs = (attempt?.retryAtMs ?? 0) - now.monotonicMs;
  if (attempt !== undefined && retryInMs > 0) return retryInMs;
  return { pod, how: 'delete', ...graceFor(pod, times, now.wallMs) };
}

/**
 * When a pod that is still running is deleted in spite of its budget: in time for its grace period. A long grace period
 * does not take more than half of the time from the budget.
 */
function forceTimeOf({ graceSeconds }: DrainPod, { startedAtMs, endAtMs }: DrainTimes): number {
  if (endAtMs === undefined) return Infinity;
  const halfTimeMs = startedAtMs + (endAtMs - startedAtMs) / 2;
  return Math.min(endAtMs, Math.max(halfTimeMs, endAtMs - graceSeconds * 1_000));
}

function graceFor(
  { graceSeconds }: DrainPod,
  { endAtMs }: DrainTimes,
  wallMs: number,
): Pick<DrainStep, 'graceSeconds'> {
  if (endAtMs === undefined) return {};
  const leftSeconds = Math.max(shortestGraceSeconds, Math.floor((endAtMs - wallMs) / 1_000));
  return graceSeconds <= leftSeconds ? {} : { graceSeconds: leftSeconds };
}
