import type { Notice } from '../../../clouds/index.ts';
import type { Clock } from '../../../lib/clock.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';
import type { Log } from '../../../lib/log/log.ts';
import type { Node } from '../../../schemas/kubernetes.ts';
import { createAlarm } from '../alarm.ts';
import type { Alarm } from '../alarm.ts';
import type { DrainOrder } from '../decide.ts';
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
  /** Before the Node is marked. `undefined`: no drain is wanted. */
  setOrder(order: DrainOrder | undefined): void;
  /** After the Node is marked: starts, adjusts or stops the drain. */
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
  /** The record has changed. */
  onEnd(): void;
}

export interface DrainRequest {
  /** Rings when the times have changed. */
  readonly alarm: Alarm;
  times(): DrainTimes;
  onProgress(progress: DrainProgress): void;
}

interface RunnerState {
  record: DrainRecord | undefined;
  order: DrainOrder | undefined;
  progress: DrainProgress | undefined;
  running: RunningDrain | undefined;
  /** An earlier agent began it. */
  isResumed: boolean;
  /** Ids of notices. */
  readonly acknowledged: Set<string>;
}

interface RunningDrain {
  readonly alarm: Alarm;
  readonly ended: Promise<void>;
  stop(): void;
}

export function createDrainRunner(deps: DrainRunnerDeps): DrainRunner {
  const state: RunnerState = {
    record: undefined,
    order: undefined,
    progress: undefined,
    running: undefined,
    isResumed: false,
    acknowledged: new Set(),
  };
  return {
    record: () => state.record,
    order: () => state.order,
    progress: () => state.progress,
    restore: (record) => {
      state.record = record;
      state.isResumed = record !== undefined;
    },
    setOrder: (order) => {
      state.order = order;
      if (order === undefined) state.record = undefined;
      else state.record ??= { startedAtMs: deps.clock.wallMs(), isFinished: false };
    },
    follow: (node, signal) => {
      if (state.order === undefined) stopDrain(node, 'the notice is over or withdrawn', state, deps);
      else if (state.record?.isFinished === true) acknowledgeAll(state.order.notices, state, deps);
      else if (state.running === undefined) startDrain(node, state.order, { state, deps, signal });
      else state.running.alarm.ring();
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
  const request: DrainRequest = { alarm, times: () => timesOf(state, deps), onProgress };
  const drained = deps.drain(node, request, AbortSignal.any([signal, ending.signal]));
  const running = { alarm, stop: () => ending.abort(new Error('the reason has gone')), ended: drained.then(end, fail) };
  state.running = running;

  function end(result: 'finished' | 'stopped'): void {
    forget();
    if (signal.aborted) return;
    deps.metrics.drainEnded(result);
    if (result === 'stopped' || state.record === undefined) return;
    state.record = { ...state.record, isFinished: true };
    deps.reporter.drainFinished(node);
    deps.onEnd();
  }

  function fail(error: unknown): void {
    forget();
    deps.log.error('A drain failed and is started again', failureFields(error));
    deps.onEnd();
  }

  /** Another drain may have begun since this one was stopped. */
  function forget(): void {
    if (state.running === running) [state.running, state.progress] = [undefined, undefined];
  }
}

function timesOf({ record, order }: RunnerState, { clock, marginMs }: DrainRunnerDeps): DrainTimes {
  const startedAtMs = record?.startedAtMs ?? clock.wallMs();
  const deadlineAtMs = order?.deadlineAtMs;
  return { startedAtMs, ...(deadlineAtMs !== undefined && { endAtMs: deadlineAtMs - marginMs }) };
}

function stopDrain(node: Node | undefined, reason: string, state: RunnerState, { reporter }: DrainRunnerDeps): void {
  if (state.running === undefined) return;
  state.running.stop();
  [state.running, state.progress] = [undefined, undefined];
  if (node !== undefined) reporter.drainStopped(node, reason);
}

function acknowledgeAll(
  notices: readonly Notice[],
  { acknowledged }: RunnerState,
  { acknowledge, log }: DrainRunnerDeps,
): void {
  for (const notice of notices) {
    if (!notice.onlyThisInstance || acknowledged.has(notice.id)) continue;
    acknowledged.add(notice.id);
    acknowledge(notice).catch((error: unknown) => {
      acknowledged.delete(notice.id);
      log.error('A notice could not be acknowledged', { notice: notice.vendorText, ...failureFields(error) });
    });
  }
}
