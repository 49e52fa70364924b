import type { Clock } from '../../../lib/clock.ts';
import { KubernetesError, isKubernetesError } from '../../../lib/kubernetes/kubernetes-error.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';
import type { Log } from '../../../lib/log/log.ts';
import type { Alarm } from '../alarm.ts';
import type { Heartbeat } from '../heartbeat.ts';
import type { DrainPod } from './drain-pod.ts';
import { planDrain } from './plan-drain.ts';
import type { DrainAttempt, DrainPlan, DrainStep, DrainTimes } from './plan-drain.ts';

export interface DrainDeps {
  readonly nodeName: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Rings when the pods or the times have changed. */
  readonly alarm: Alarm;
  /** The pods of the Node. `undefined`: they have not been listed yet. */
  pods(): readonly DrainPod[] | undefined;
  times(): DrainTimes;
  /** Rejects with a `KubernetesError` if the pod was not asked to go. */
  send(step: DrainStep, signal: AbortSignal): Promise<void>;
  onProgress(progress: DrainProgress): void;
  readonly heartbeat: Heartbeat;
}

export interface DrainProgress {
  /** Pods that have to go and are still there. */
  readonly remaining: number;
  /** Those that a budget protects, as `namespace/name`. */
  readonly blocked: readonly string[];
}

/** A full node has 110 pods, and the API server serves other nodes too. */
const maxRequests = 25;
/** As in kubectl. A pod that was asked to go shows it much earlier. */
const retryMs = 5_000;
/** If the API server does not say how long. */
const throttlePauseMs = 1_000;
const longestPauseMs = 10_000;
/** The scheduler may not have seen the cordon yet. */
const lateBindingMs = 5_000;

interface DrainState {
  /** When the pods were listed first, on the monotonic clock as the other times. */
  listedAtMs: number | undefined;
  /** Those of the first list, by UID. */
  firstUids: ReadonlySet<string>;
  readonly attempts: Map<string, DrainAttempt>;
  /** Requests that are not answered yet. They never reject. */
  readonly sending: Map<string, Promise<void>>;
  readonly blocked: Map<string, DrainPod>;
  /** The last error of each pod, which is logged once. */
  readonly errors: Map<string, string>;
  pausedUntilMs: number;
  /** Accepted requests that are not logged yet. */
  accepted: number;
}

/**
 * Asks all pods to go, and returns when they have gone, or when the signal is aborted. What was asked shows on the pods, so
 * a restarted agent goes on from there.
 */
export async function drainNode(deps: DrainDeps, signal: AbortSignal): Promise<'finished' | 'stopped'> {
  const { clock, alarm, heartbeat } = deps;
  const state = newDrainState();
  while (!signal.aborted) {
    heartbeat.beat();
    const plan = planNow(state, deps);
    if (plan?.remaining === 0 && mayBindMs(state, clock) <= 0) break;
    sendDue(plan?.steps ?? [], state, deps, signal);
    logAccepted(state, deps);
    await alarm.wait(plan === undefined ? Infinity : waitMs(plan, state, clock), signal);
  }
  await Promise.all(state.sending.values());
  logAccepted(state, deps);
  return signal.aborted ? 'stopped' : 'finished';
}

/** `undefined`: the pods have not been listed yet. */
function planNow(state: DrainState, { pods: listPods, times, clock, onProgress }: DrainDeps): DrainPlan | undefined {
  const listed = listPods();
  if (listed === undefined) return undefined;
  if (state.listedAtMs === undefined) {
    state.listedAtMs = clock.monotonicMs();
    state.firstUids = new Set(listed.map(({ metadata: { uid } }) => uid));
  }
  forgetGone(state, listed);
  const { startedAtMs } = times();
  const going = listed.filter((pod) => !hasComeLate(pod, state, startedAtMs));
  const plan = planDrain(going, times(), state.attempts, { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() });
  onProgress({ remaining: plan.remaining, blocked: [...state.blocked.values()].map((pod) => nameOf(pod)) });
  return plan;
}

/**
 * A pod that was created after the cordon tolerates it, or was bound by name: its controller would create it again and
 * again. One that is older was scheduled before, and has to go, even if its volumes took long.
 */
function hasComeLate(
  { metadata: { uid, creationTimestamp } }: DrainPod,
  { firstUids }: DrainState,
  startedAtMs: number,
): boolean {
  return !firstUids.has(uid) && Date.parse(creationTimestamp) > startedAtMs + lateBindingMs;
}

function newDrainState(): DrainState {
  return {
    listedAtMs: undefined,
    firstUids: new Set(),
    attempts: new Map(),
    sending: new Map(),
    blocked: new Map(),
    errors: new Map(),
    pausedUntilMs: 0,
    accepted: 0,
  };
}

function forgetGone({ attempts, blocked, errors }: DrainState, pods: readonly DrainPod[]): void {
  const uids = new Set(pods.map(({ metadata }) => metadata.uid));
  for (const map of [attempts, blocked, errors]) {
    for (const uid of map.keys()) if (!uids.has(uid)) map.delete(uid);
  }
}

/** Those after the limit are sent as soon as others have been answered. Planning may have shown that the reason is gone. */
function sendDue(steps: readonly DrainStep[], state: DrainState, deps: DrainDeps, signal: AbortSignal): void {
  if (signal.aborted || deps.clock.monotonicMs() < state.pausedUntilMs) return;
  const unsent = steps.filter(({ pod }) => !state.sending.has(pod.metadata.uid));
  for (const step of unsent.slice(0, maxRequests - state.sending.size)) {
    state.sending.set(step.pod.metadata.uid, sendStep(step, state, deps, signal));
  }
}

function waitMs({ remaining, planAgainInMs = Infinity }: DrainPlan, state: DrainState, clock: Clock): number {
  if (remaining === 0) return mayBindMs(state, clock);
  const pauseMs = state.pausedUntilMs - clock.monotonicMs();
  return pauseMs > 0 ? pauseMs : planAgainInMs;
}

/** How long the scheduler may still bind a pod to the Node. */
function mayBindMs({ listedAtMs }: DrainState, clock: Clock): number {
  return (listedAtMs ?? Infinity) + lateBindingMs - clock.monotonicMs();
}

async function sendStep(step: DrainStep, state: DrainState, deps: DrainDeps, signal: AbortSignal): Promise<void> {
  const { clock, alarm } = deps;
  const { uid } = step.pod.metadata;
  let wasRefused = false;
  try {
    await deps.send(step, signal);
    if (step.how === 'delete') logDelete(step, state, deps);
    state.accepted += 1;
    state.blocked.delete(uid);
  } catch (error) {
    if (signal.aborted) return;
    wasRefused = step.how === 'evict';
    recordFailure(error, step, state, deps);
  } finally {
    state.attempts.set(uid, { retryAtMs: clock.monotonicMs() + retryMs, wasRefused });
    state.sending.delete(uid);
    alarm.ring();
  }
}

function recordFailure(
  error: unknown,
  { pod }: DrainStep,
  state: DrainState,
  { log, nodeName, clock }: DrainDeps,
): void {
  const { uid } = pod.metadata;
  const fields = { node: nodeName, pod: nameOf(pod) };
  // The watch is about to report it.
  if (isKubernetesError(error, 'not-found')) return;
  if (isKubernetesError(error, 'blocked')) {
    if (!state.blocked.has(uid)) log.standard('podBlocked', fields);
    state.blocked.set(uid, pod);
    return;
  }
  if (isKubernetesError(error, 'throttled')) {
    state.pausedUntilMs = clock.monotonicMs() + Math.min(error.retryAfterMs ?? throttlePauseMs, longestPauseMs);
  }
  const failure = failureFields(error);
  const kind = error instanceof KubernetesError ? error.kind : 'unexpected';
  if (state.errors.get(uid) !== kind) log.standard('podFailing', { ...fields, ...failure });
  state.errors.set(uid, kind);
}

function logDelete({ pod, graceSeconds }: DrainStep, state: DrainState, { log, nodeName }: DrainDeps): void {
  const grace = `${String(graceSeconds ?? pod.graceSeconds)} s are left for it to end`;
  const reason = state.blocked.has(pod.metadata.uid) ? `a disruption budget protects it, and ${grace}` : grace;
  log.standard('podDeleted', { node: nodeName, pod: nameOf(pod), reason });
}

function logAccepted(state: DrainState, { log, nodeName }: DrainDeps): void {
  if (state.accepted === 0 || state.sending.size > 0) return;
  log.standard('podsAsked', { node: nodeName, pods: state.accepted });
  state.accepted = 0;
}

function nameOf({ metadata: { namespace = '', name } }: DrainPod): string {
  return `${namespace}/${name}`;
}
