import { failureFields } from '../../lib/log/failure-fields.ts';
import { openFailureLog } from '../../lib/log/failure-log.ts';
import type { FailureLog } from '../../lib/log/failure-log.ts';
import { createAlarm } from './alarm.ts';
import { decideInterruption } from './decide.ts';
import type { InterruptionDecision } from './decide.ts';
import { createDrainRunner } from './drain/drain-runner.ts';
import type { DrainRunner, DrainRunnerDeps } from './drain/drain-runner.ts';
import type { Heartbeat } from './heartbeat.ts';
import { followClock, newLoopState } from './loop-state.ts';
import type { LoopState } from './loop-state.ts';
import { mergeNotices } from './merge-notices.ts';
import type { ReadNotices } from './merge-notices.ts';
import type { InterruptionMetrics } from './metrics.ts';
import { takeAction } from './take-action.ts';
import type { ActionDeps } from './take-action.ts';

/** Marks the Node as its notices require, and drains it. */
export interface InterruptionLoop {
  /** The Node was created, has changed or was deleted. */
  nodeChanged(): void;
  polled(poll: ReadNotices): void;
  /** No source could be read. */
  pollFailed(): void;
  /** Runs until the signal is aborted, and retries after every failure. What is marked stays. */
  run(signal: AbortSignal): Promise<void>;
  decision(): InterruptionDecision | undefined;
  readonly drain: Pick<DrainRunner, 'order' | 'progress'>;
}

export interface InterruptionLoopDeps
  extends Omit<ActionDeps, 'metrics'>, Omit<DrainRunnerDeps, 'marginMs' | 'beforeTimes' | 'onEnd'> {
  readonly metrics: InterruptionMetrics;
  readonly heartbeat: Heartbeat;
}

const firstRetryMs = 250;
/** The machine may be about to go. */
const longestRetryMs = 2_000;
/** Only marks of an earlier notice are left. */
const longestUndoRetryMs = 10_000;

export function createInterruptionLoop(deps: InterruptionLoopDeps): InterruptionLoop {
  const { settings, clock, heartbeat } = deps;
  const alarm = createAlarm(clock);
  const state = newLoopState(clock);
  const runner = createDrainRunner({ ...deps, marginMs: settings.marginMs, beforeTimes, onEnd: alarm.ring });
  const failureLog = openMarkFailureLog(deps);

  /** A drain may look at the time before this loop does. */
  function beforeTimes(): void {
    if (followClock(state, runner, clock)) adjustDrain();
  }

  /** At once, while a write of the Node may hang: a drain without a reason stops, and one with less time hurries. */
  function adjustDrain(): void {
    alarm.ring();
    if (state.decision === undefined) return;
    const decision = decideInterruption(state.notices, settings, clock.wallMs());
    runner.setOrder(decision);
    if (decision.drain === undefined) runner.stop(state.written, 'the notice is over or withdrawn');
  }

  /** Returns how long to wait. */
  async function tryToAct(signal: AbortSignal): Promise<number> {
    heartbeat.beat();
    try {
      const waitMs = await takeAction(state, runner, deps, signal);
      failureLog.recovered();
      state.failures = 0;
      return waitMs;
    } catch (error) {
      if (!signal.aborted) failureLog.failed(failureFields(error));
      state.failures += 1;
      return retryMs(state);
    }
  }

  return {
    decision: () => state.decision,
    drain: runner,
    nodeChanged: alarm.ring,
    polled: (poll) => {
      if (update(state, poll, deps)) adjustDrain();
    },
    pollFailed: () => {
      if (!state.hasPolled) alarm.ring();
      state.hasPolled = true;
    },
    run: async (signal) => {
      while (!signal.aborted) await alarm.wait(await tryToAct(signal), signal);
      await runner.ended();
    },
  };
}

function retryMs({ failures, decision }: LoopState): number {
  const longestMs = decision?.assessed.length === 0 ? longestUndoRetryMs : longestRetryMs;
  return Math.min(longestMs, firstRetryMs * 2 ** Math.min(failures, 10));
}

/** Whether anything is new. */
function update(
  state: LoopState,
  poll: ReadNotices,
  { clock, settings: { unknownTimeMs }, metrics }: InterruptionLoopDeps,
): boolean {
  const before = state.notices;
  state.notices = mergeNotices(before, poll, { nowMs: clock.wallMs(), unknownTimeMs });
  for (const { id, effect } of state.notices) {
    if (!before.some((notice) => notice.id === id)) metrics.noticeAnnounced(effect);
  }
  const isNew = !state.hasPolled || JSON.stringify(state.notices) !== JSON.stringify(before);
  state.lastPoll = poll;
  state.hasPolled = true;
  return isNew;
}

function openMarkFailureLog({ clock, log, node }: InterruptionLoopDeps): FailureLog {
  const fields = (): { readonly node: string } => ({ node: node()?.metadata.name ?? '' });
  return openFailureLog({
    clock,
    logFailure: (failure) => log.standard('nodeMarkFailing', { ...fields(), ...failure }),
    logRepeatedFailure: (failure) => log.debug('Node cannot be marked yet', { ...fields(), ...failure }),
    logRecovery: () => log.info('Node can be marked again', fields()),
  });
}
