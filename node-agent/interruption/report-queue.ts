import type { Clock } from '../../lib/clock.ts';

export interface ReportQueueDeps<Report> {
  send(report: Report): Promise<void>;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Of the agent. What is waiting then is lost. */
  readonly signal: AbortSignal;
  /** The report is lost: it was tried a few times, or too many are waiting (`error` is undefined). */
  onLost(report: Report, error: unknown): void;
}

/** More are only there if nothing gets through for a long time. */
const maxWaiting = 50;
const maxAttempts = 5;
const firstRetryMs = 1_000;

/** Sends reports in order, one at a time. Nothing waits for it. Returns how to add a report. */
export function openReportQueue<Report>(deps: ReportQueueDeps<Report>): (report: Report) => void {
  const waiting: Report[] = [];
  let sending: Promise<void> | undefined;
  return (report) => {
    waiting.push(report);
    const oldest = waiting.length > maxWaiting ? waiting.shift() : undefined;
    if (oldest !== undefined) deps.onLost(oldest, undefined);
    sending ??= sendAll();
  };

  async function sendAll(): Promise<void> {
    // The caller goes on first.
    await Promise.resolve();
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await trySending(next, deps);
    sending = undefined;
  }
}

/** Never rejects. */
async function trySending<Report>(
  report: Report,
  { send, clock, signal, onLost }: ReportQueueDeps<Report>,
): Promise<void> {
  let waitMs = firstRetryMs;
  for (let attempt = 1; attempt <= maxAttempts && !signal.aborted; attempt++) {
    try {
      await send(report);
      return;
    } catch (error) {
      if (attempt === maxAttempts) onLost(report, error);
      else await clock.sleep(waitMs, signal).catch(() => undefined);
    }
    waitMs *= 2;
  }
}
