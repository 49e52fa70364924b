import type { Clock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import { failureFields } from '../lib/log/failure-fields.ts';
import type { Log } from '../lib/log/log.ts';
import { openFailureLog } from '../lib/log/failure-log.ts';
import type { FailureLog } from '../lib/log/failure-log.ts';
import { createLeaseClient } from './leader-election/lease-client.ts';
import type { LeaseClient, AcquireResult } from './leader-election/lease-client.ts';
import type { LeaseStore } from './leader-election/lease-store.ts';
import type { ElectionTimes } from './leader-election/settings.ts';
import { startTerm } from './leader-election/term.ts';
import type { Leadership, Term } from './leader-election/term.ts';

export interface ElectionParts {
  readonly identity: string;
  readonly times: ElectionTimes;
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly log: Log;
  /** From 0 to below 1. */
  readonly random: () => number;
}

export interface Election {
  /**
   * Leads whenever it can until the signal is aborted. Then it ends the work, releases the lease and resolves. Rejects
   * when the work fails or ends unasked, and when it does not end in time. Then only the end of the process is safe.
   */
  run(work: LeaderWork, signal: AbortSignal): Promise<void>;
  status(): ElectionStatus;
}

export type LeaderWork = (leadership: Leadership) => Promise<void>;

export interface ElectionStatus {
  readonly isLeading: boolean;
  /** The last known holder of the lease. Empty: none, or never seen. */
  readonly holder: string;
  /** Since the end of the last attempt, whether it succeeded or not. */
  readonly quietMs: number;
}

const workEndTimeoutMs = 5_000;
const releaseTimeoutMs = 2_000;
const minPauseMs = 100;

export function createElection(parts: ElectionParts): Election {
  const { identity, times, store, clock } = parts;
  const leaseClient = createLeaseClient({ identity, leaseDurationMs: times.leaseDurationMs }, store, clock);
  const failureLog = failureLogFor(parts);
  const state: ElectionState = { isLeading: false, lastAttemptAtMs: clock.monotonicMs(), loggedHolder: '', failureLog };
  const context = { parts, leaseClient, state };
  return {
    run: (work, signal) => runElection(context, work, signal),
    status: () => ({
      isLeading: state.isLeading,
      holder: leaseClient.view().holder,
      quietMs: clock.monotonicMs() - state.lastAttemptAtMs,
    }),
  };
}

interface ElectionState {
  isLeading: boolean;
  lastAttemptAtMs: number;
  /** The holder in the last log line about following. Empty: none. */
  loggedHolder: string;
  readonly failureLog: FailureLog;
}

interface ElectionContext {
  readonly parts: ElectionParts;
  readonly leaseClient: LeaseClient;
  readonly state: ElectionState;
}

async function runElection(context: ElectionContext, work: LeaderWork, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const term = await campaign(context, signal);
    if (term === undefined) break;
    context.state.isLeading = true;
    await lead(context, term, work, signal).finally(() => {
      context.state.isLeading = false;
    });
  }
  await release(context);
}

/** `undefined`: the signal was aborted first. */
async function campaign(context: ElectionContext, signal: AbortSignal): Promise<Term | undefined> {
  const { times, clock } = context.parts;
  while (!signal.aborted) {
    const attempt = await tryAcquireOrRenew(context, times.renewDeadlineMs / 2, signal);
    if (attempt?.is === 'held') logHolder(context);
    const term = attempt?.is === 'ours' ? startTerm(times, clock, attempt) : undefined;
    if (term !== undefined && term.leftMs() > 0) return term;
    await sleep(clock, waitMs(context.parts, attempt), signal);
  }
  return undefined;
}

/** Logs a failed attempt and returns `undefined`: what happened is unknown. */
async function tryAcquireOrRenew(
  { parts, leaseClient, state }: ElectionContext,
  limitMs: number,
  signal: AbortSignal,
): Promise<AcquireResult | undefined> {
  try {
    const attempt = await leaseClient.tryAcquireOrRenew(limitMs, signal);
    state.failureLog.recovered();
    return attempt;
  } catch (error) {
    if (!signal.aborted) state.failureLog.failed(failureFields(error));
    return undefined;
  } finally {
    state.lastAttemptAtMs = parts.clock.monotonicMs();
  }
}

/** There is an attempt about every second. */
function failureLogFor({ clock, log }: ElectionParts): FailureLog {
  return openFailureLog({
    clock,
    logFailure: (failure) => log.standard('electionFailing', failure),
    logRepeatedFailure: (failure) => log.debug('The Lease cannot be read or written yet', failure),
    logRecovery: () => log.standard('electionRecovered', {}),
  });
}

function logHolder({ parts, leaseClient, state }: ElectionContext): void {
  const { holder } = leaseClient.view();
  if (holder !== state.loggedHolder) parts.log.standard('following', { holder });
  state.loggedHolder = holder;
}

/**
 * Less than the retry period, so that a released lease is found within one, and with jitter, so that candidates do not
 * act at the same moment. A lease that expires is taken at that very moment.
 */
function waitMs({ times, clock, random }: ElectionParts, attempt: AcquireResult | undefined): number {
  const pauseMs = times.retryPeriodMs * (0.6 + 0.2 * random());
  return attempt?.is === 'held' ? Math.min(pauseMs, Math.max(1, attempt.untilMs - clock.monotonicMs())) : pauseMs;
}

/** Resolves when the lease may be free, or when the signal is aborted. */
async function lead(context: ElectionContext, term: Term, work: LeaderWork, signal: AbortSignal): Promise<void> {
  const { identity, log, clock } = context.parts;
  context.state.loggedHolder = '';
  log.standard('leading', { identity, reason: 'this replica holds the Lease' });
  const ended = new AbortController();
  const working = runWork(work, term.leadership, ended);
  const isLost = await keepRenewing(context, term, AbortSignal.any([signal, ended.signal]));
  if (isLost) log.standard('leaseLost', { identity });
  const reason = new Error(isLost ? 'the lease is lost' : 'leading is over');
  if (isLost) term.lose(reason);
  else term.end(reason);
  await waitForEnd(working, clock);
  term.lose(reason);
  const { error } = await working;
  if (error !== undefined) log.debug('The work of the leader ended', failureFields(error));
  if (isLost || signal.aborted) return;
  await release(context);
  throw error instanceof Error ? error : new Error('the work of the leader ended unasked', { cause: error });
}

interface WorkOutcome {
  readonly error?: unknown;
}

async function runWork(work: LeaderWork, leadership: Leadership, ended: AbortController): Promise<WorkOutcome> {
  try {
    await work(leadership);
    return {};
  } catch (error) {
    return { error };
  } finally {
    ended.abort(new Error('the work has ended'));
  }
}

/** Renews until that fails for good (`true`) or `stop` is aborted. */
async function keepRenewing(context: ElectionContext, term: Term, stop: AbortSignal): Promise<boolean> {
  const { times, clock } = context.parts;
  while (!stop.aborted) {
    const slept = await sleep(clock, Math.min(times.retryPeriodMs, retryPauseMs(term.leftMs())), stop);
    if (slept && term.leftMs() === 0) return true;
    if (!slept) break;
    const attempt = await tryAcquireOrRenew(context, Math.min(times.renewDeadlineMs / 2, term.leftMs()), stop);
    if (attempt?.is === 'held') return true;
    if (attempt?.is === 'ours') term.renew(attempt);
  }
  return false;
}

/** Attempts come closer together towards the deadline: the API server may respond again at the last moment. */
function retryPauseMs(deadlineMs: number): number {
  return deadlineMs > minPauseMs ? deadlineMs / 2 : Math.max(1, deadlineMs);
}

async function waitForEnd(working: Promise<WorkOutcome>, clock: Clock): Promise<void> {
  const finished = new AbortController();
  const isLate = sleep(clock, workEndTimeoutMs, finished.signal);
  const winner = await Promise.race([working, isLate]);
  finished.abort(new Error('the work has ended'));
  if (winner !== true) return;
  const remedy = 'start the process again; the others take over when the lease has run out';
  throw new Failure('unavailable', `the work of the leader did not end in ${workEndTimeoutMs / 1_000} s`, { remedy });
}

/** Only after the work has ended: the next holder of the lease acts at once. */
async function release({ parts: { identity, log }, leaseClient }: ElectionContext): Promise<void> {
  const wasOurs = leaseClient.view().holder === identity;
  try {
    await leaseClient.release(releaseTimeoutMs);
    if (wasOurs) log.standard('leaseReleased', { identity });
  } catch (error) {
    log.error('The Lease could not be given back, it has to run out', failureFields(error));
  }
}

/** Whether the sleep was not aborted. */
function sleep(clock: Clock, durationMs: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(durationMs, signal).then(
    () => true,
    () => false,
  );
}
