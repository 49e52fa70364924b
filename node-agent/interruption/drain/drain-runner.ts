import type { Notice } from '../../../clouds/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';
import type { Log } from '../../../lib/log/log.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { createAlarm } from '../alarm.ts';
import type { Alarm } from '../alarm.ts';
import type { DrainOrder, InterruptionDecision } from '../decide.ts';
import type { Heartbeat } from '../heartbeat.ts';
import type { InterruptionMetrics } from '../metrics.ts';
import type { InterruptionReporter } from '../reporter.ts';
import type { DrainRecord } from '../state.ts';
import type { DrainProgress } from './drain-node.ts';
import type { DrainTimes } from './plan-drain.ts';

/** Starts and stops the drain of the Node; there is one at a time. */
export interface DrainRunner {
  /** What the Node's state should hold. */
  record(): DrainRecord | undefined;
  order(): DrainOrder | undefined;
  /** Absent: no drain is under way. */
  progress(): DrainProgress | undefined;
  /** From the state of a Node that an earlier agent marked. */
  restore(record: DrainRecord | undefined): void;
  /** The clock was set, and went on by so much. */
  shiftStart(ms: number): void;
  /** Before the Node is marked: adjusts the drain that is under way. Without a cordon the next drain is a new one. */
  setOrder(decision: Pick<InterruptionDecision, 'cordon' | 'drain'>): void;
  /** After the Node is marked: starts the drain, if one is wanted. */
  follow(node: Node, signal: AbortSignal): void;
  stop(node: Node | undefined, reason: string): void;
  /** Resolves when no drain is under way. */
  ended(): Promise<void>;
}

export interface DrainRunnerDeps {
  readonly marginMs: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly reporter: InterruptionReporter;
  readonly metrics: Pick<InterruptionMetrics, 'drainEnded'>;
  drain(node: Node, request: DrainRequest, signal: AbortSignal): Promise<'finished' | 'stopped'>;
  /** Reports to the cloud that the instance is ready for the notice. */
  acknowledge(notice: Notice): Promise<void>;
  readonly drainHeartbeat: Heartbeat;
  /** Brings the order up to date if the clock was set. */
  beforeTimes(): void;
  /** The record has changed. */
  onEnd(): void;
}

export interface DrainRequest {
  /** Rings when the times have changed. */
  readonly alarm: Alarm;
  times(): DrainTimes;
  onProgress(progress: DrainProgress): void;
  readonly heartbeat: Heartbeat;
}

interface RunnerState {
  record: DrainRecord | undefined;
  order: DrainOrder | undefined;
  progress: DrainProgress | undefined;
  running: RunningDrain | undefined;
  /** An earlier agent began it. */
  isResumed: boolean;
  /** After a drain that failed, on the monotonic clock. */
  startAgainAtMs: number;
  /** By the id of a notice: when to acknowledge it next, on the monotonic clock. */
  readonly acknowledgeAtMs: Map<string, number>;
}

interface RunningDrain {
  readonly alarm: Alarm;
  readonly ended: Promise<void>;
  stop(): void;
}

/** A failure of the drain itself is a fault of ours, which may come again at once. */
const startAgainMs = 2_000;
const acknowledgeAgainMs = 10_000;

export function createDrainRunner(deps: DrainRunnerDeps): DrainRunner {
  const state: RunnerState = {
    record: undefined,
    order: undefined,
    progress: undefined,
    running: undefined,
    isResumed: false,
    startAgainAtMs: 0,
    acknowledgeAtMs: new Map(),
  };
  return {
    record: () => state.record,
    order: () => state.order,
    progress: () => state.progress,
    restore: (record) => {
      state.record = record;
      state.isResumed = record !== undefined;
    },
    shiftStart: (ms) => {
      if (state.record !== undefined) state.record = { ...state.record, startedAtMs: state.record.startedAtMs + ms };
    },
    setOrder: ({ cordon, drain }) => {
      state.order = drain;
      state.running?.alarm.ring();
      if (!cordon) state.record = undefined;
      else if (drain !== undefined) state.record ??= { startedAtMs: deps.clock.wallMs(), isFinished: false };
    },
    follow: (node, signal) => {
      if (state.order === undefined) return;
      if (state.record?.isFinished === true) acknowledgeAll(state.order.notices, state, deps);
      else if (state.running === undefined && deps.clock.monotonicMs() >= state.startAgainAtMs) {
        startDrain(node, state.order, { state, deps, signal });
      }
    },
    stop: (node, reason) => stopDrain(node, reason, state, deps),
    ended: async () => state.running?.ended,
  };
}

interface StartContext {
  readonly state: RunnerState;
  readonly deps: DrainRunnerDeps;
  readonly signal: AbortSignal;
}

function startDrain(node: Node, { notices }: DrainOrder, { state, deps, signal }: StartContext): void {
  deps.reporter.drainStarted(node, notices.map(({ vendorText }) => vendorText).join('; '), state.isResumed);
  const ending = new AbortController();
  const alarm = createAlarm(deps.clock);
  const onProgress = (progress: DrainProgress): void => {
    const isNews = progress.blocked.length > 0 && (state.progress?.blocked ?? []).length === 0;
    if (isNews) deps.reporter.podsBlocked(node, progress.blocked);
    state.progress = progress;
  };
  const { drainHeartbeat: heartbeat } = deps;
  const request: DrainRequest = { alarm, times: () => timesOf(state, deps), onProgress, heartbeat };
  const drained = deps.drain(node, request, AbortSignal.any([signal, ending.signal]));
  const running = { alarm, stop: () => ending.abort(new Error('the reason has gone')), ended: drained.then(end, fail) };
  state.running = running;

  function end(result: 'finished' | 'stopped'): void {
    const isCurrent = forget();
    if (signal.aborted) return;
    deps.metrics.drainEnded(isCurrent ? result : 'stopped');
    if (!isCurrent || state.record === undefined) return;
    state.record = { ...state.record, isFinished: true };
    deps.reporter.drainFinished(node);
    deps.onEnd();
  }

  function fail(error: unknown): void {
    forget();
    state.startAgainAtMs = deps.clock.monotonicMs() + startAgainMs;
    deps.log.error('A drain failed and is started again', failureFields(error));
    deps.onEnd();
  }

  /** Whether this drain was not stopped. Another one may have begun since. */
  function forget(): boolean {
    if (state.running !== running) return false;
    [state.running, state.progress] = [undefined, undefined];
    heartbeat.end();
    return true;
  }
}

function timesOf(state: RunnerState, { clock, marginMs, beforeTimes }: DrainRunnerDeps): DrainTimes {
  beforeTimes();
  const { record, order } = state;
  const startedAtMs = record?.startedAtMs ?? clock.wallMs();
  const deadlineAtMs = order?.deadlineAtMs;
  return { startedAtMs, ...(deadlineAtMs !== undefined && { endAtMs: deadlineAtMs - marginMs }) };
}

function stopDrain(
  node: Node | undefined,
  reason: string,
  state: RunnerState,
  { reporter, drainHeartbeat }: DrainRunnerDeps,
): void {
  if (state.running === undefined) return;
  state.running.stop();
  [state.running, state.progress] = [undefined, undefined];
  drainHeartbeat.end();
  if (node !== undefined) reporter.drainStopped(node, reason);
}

/** What has started needs no approval. */
function acknowledgeAll(
  notices: readonly Notice[],
  { acknowledgeAtMs }: RunnerState,
  { acknowledge, clock, log }: DrainRunnerDeps,
): void {
  const ids = new Set(notices.map(({ id }) => id));
  for (const id of acknowledgeAtMs.keys()) if (!ids.has(id)) acknowledgeAtMs.delete(id);
  for (const notice of notices) {
    const { id, onlyThisInstance, state, vendorText } = notice;
    const isDue = clock.monotonicMs() >= (acknowledgeAtMs.get(id) ?? 0);
    if (!onlyThisInstance || state !== 'announced' || !isDue) continue;
    const isFirst = !acknowledgeAtMs.has(id);
    acknowledgeAtMs.set(id, Infinity);
    acknowledge(notice).catch((error: unknown) => {
      acknowledgeAtMs.set(id, clock.monotonicMs() + acknowledgeAgainMs);
      const fields = { notice: vendorText, ...failureFields(error) };
      if (isFirst) log.error('A notice could not be acknowledged', fields);
      else log.debug('A notice could not be acknowledged yet', fields);
    });
  }
}
