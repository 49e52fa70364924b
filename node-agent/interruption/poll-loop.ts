import type { NoticePoll, Notices } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { openFailureLog } from '../../lib/log/failure-log.ts';
import type { FailureLog } from '../../lib/log/failure-log.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Heartbeat } from './heartbeat.ts';

export interface PollLoopDeps {
  readonly notices: Notices;
  readonly clock: Clock;
  readonly log: Log;
  contextFor(signal: AbortSignal): Context;
  onPoll(poll: NoticePoll): void;
  onFailure(): void;
  readonly heartbeat: Heartbeat;
}

/** A notice may be waiting when the service is back. */
const retryMs = 2_000;
/** As the log names a failure of all sources. */
const allSources = 'all';

/** Polls until the signal is aborted, whatever fails. */
export async function pollForever(deps: PollLoopDeps, signal: AbortSignal): Promise<void> {
  const failures = createSourceFailures(deps);
  let cursor: unknown;
  while (!signal.aborted) {
    const waitMs = await pollOnce();
    // Rejects when the signal is aborted. The condition of the loop handles that.
    await deps.clock.sleep(waitMs, signal).catch(() => undefined);
  }

  async function pollOnce(): Promise<number> {
    deps.heartbeat.beat();
    try {
      const poll = await deps.notices.poll(cursor, deps.contextFor(signal));
      ({ cursor } = poll);
      failures.update(poll);
      deps.onPoll(poll);
      return poll.waitMs;
    } catch (error) {
      if (signal.aborted) return 0;
      failures.failed(allSources, error);
      deps.onFailure();
      return retryMs;
    }
  }
}

interface SourceFailures {
  update(poll: NoticePoll): void;
  failed(source: string, error: unknown): void;
}

function createSourceFailures({ clock, log }: PollLoopDeps): SourceFailures {
  const logs = new Map<string, FailureLog>();
  const logOf = (source: string): FailureLog => {
    const known = logs.get(source);
    if (known !== undefined) return known;
    const opened = openFailureLog({
      clock,
      logFailure: (failure) => log.standard('noticesFailing', { source, ...failure }),
      logRepeatedFailure: (failure) => log.debug('Notices cannot be read yet', { source, ...failure }),
      logRecovery: () => log.standard('noticesRecovered', { source }),
    });
    logs.set(source, opened);
    return opened;
  };
  const failed = (source: string, error: unknown): void => logOf(source).failed(failureFields(error));
  return {
    failed,
    update: ({ unread }) => {
      const unreadSources = new Set(unread.map(({ source }) => source));
      for (const [source, each] of logs) if (!unreadSources.has(source)) each.recovered();
      for (const { source, failure } of unread) failed(source, failure);
    },
  };
}
