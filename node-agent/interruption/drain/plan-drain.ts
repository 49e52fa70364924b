import type { DrainPod } from './drain-pod.ts';

export interface DrainTimes {
  /** When the first agent of this Node began. */
  readonly startedAtMs: number;
  /** When all pods should have ended. Absent: there is no hurry. */
  readonly endAtMs?: number;
}

/** What was tried with a pod so far. */
export interface DrainAttempt {
  /** It is not tried again before this, unless it was refused and the pod must go now. */
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
  /** When time alone makes another step due. */
  readonly planAgainAtMs?: number;
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
  nowMs: number,
): DrainPlan {
  const going = pods.filter(({ stays }) => stays === undefined);
  const firstOrder = Math.min(...going.map(({ order }) => order));
  const moves = going.map((pod) => planPod(pod, { times, firstOrder, attempt: attempts.get(pod.metadata.uid), nowMs }));
  const steps = moves.flatMap((move) => (typeof move === 'object' ? [move] : []));
  const laterMs = moves.flatMap((move) => (typeof move === 'number' ? [move] : []));
  return {
    steps: steps.toSorted((a, b) => a.pod.order - b.pod.order),
    remaining: going.length,
    ...(laterMs.length > 0 && { planAgainAtMs: Math.min(...laterMs) }),
  };
}

interface PodSituation {
  readonly times: DrainTimes;
  readonly firstOrder: number;
  readonly attempt: DrainAttempt | undefined;
  readonly nowMs: number;
}

/** A step, the time of the next one, or `undefined`: only a change of the pods makes one due. */
function planPod(pod: DrainPod, situation: PodSituation): DrainStep | number | undefined {
  return pod.endsAtMs === undefined ? planRunning(pod, situation) : planEnding(pod, pod.endsAtMs, situation);
}

function planRunning(
  pod: DrainPod,
  { times, firstOrder, attempt, nowMs }: PodSituation,
): DrainStep | number | undefined {
  const forceAtMs = forceTimeOf(pod, times);
  const isForced = forceAtMs !== undefined && nowMs >= forceAtMs;
  if (!isForced && pod.order !== firstOrder) return forceAtMs;
  const grace = graceFor(pod, times, nowMs);
  if (attempt === undefined) return { pod, how: 'evict', ...grace };
  if (isForced && attempt.wasRefused) return { pod, how: 'delete', ...grace };
  if (nowMs < attempt.retryAtMs) return attempt.wasRefused ? earlier(attempt.retryAtMs, forceAtMs) : attempt.retryAtMs;
  return { pod, how: isForced ? 'delete' : 'evict', ...grace };
}

/** A pod that was asked to go before the deadline was known may have more time than there is. */
function planEnding(
  pod: DrainPod,
  endsAtMs: number,
  { times, attempt, nowMs }: PodSituation,
): DrainStep | number | undefined {
  const { endAtMs } = times;
  if (endAtMs === undefined || endsAtMs <= endAtMs + lateToleranceMs) return undefined;
  if (attempt !== undefined && nowMs < attempt.retryAtMs) return attempt.retryAtMs;
  return { pod, how: 'delete', ...graceFor(pod, times, nowMs) };
}

/**
 * When a pod that is still running is deleted in spite of its budget: in time for its grace period. A long grace period
 * does not take more than half of the time from the budget.
 */
function forceTimeOf({ graceSeconds }: DrainPod, { startedAtMs, endAtMs }: DrainTimes): number | undefined {
  if (endAtMs === undefined) return undefined;
  const halfTimeMs = startedAtMs + (endAtMs - startedAtMs) / 2;
  return Math.min(endAtMs, Math.max(halfTimeMs, endAtMs - graceSeconds * 1_000));
}

function graceFor({ graceSeconds }: DrainPod, { endAtMs }: DrainTimes, nowMs: number): Pick<DrainStep, 'graceSeconds'> {
  if (endAtMs === undefined) return {};
  const leftSeconds = Math.max(shortestGraceSeconds, Math.floor((endAtMs - nowMs) / 1_000));
  return graceSeconds <= leftSeconds ? {} : { graceSeconds: leftSeconds };
}

function earlier(a: number, b: number | undefined): number {
  return b === undefined ? a : Math.min(a, b);
}
