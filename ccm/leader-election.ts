import type { Clock } from '../lib/clock.ts';
import { Failure } from '../lib/failure.ts';
import { failureFields } from '../lib/log/failure-fields.ts';
import type { Log } from '../lib/log/log.ts';
import { createTroubleLog } from '../lib/log/trouble-log.ts';
import type { TroubleLog } from '../lib/log/trouble-log.ts';
import { createLeaseKeeper } from './leader-election/lease-keeper.ts';
import type { LeaseKeeper, Try } from './leader-election/lease-keeper.ts';
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
   * Leads whenever it can until the signal is aborted; then it ends the work, gives the lease back and resolves. Rejects
   * when the work fails or ends by itself, and when it does not end in time; then only the end of the process is safe.
   */
  run(work: Work, signal: AbortSignal): Promise<void>;
  status(): ElectionStatus;
}

export type Work = (leadership: Leadership) => Promise<void>;

export interface ElectionStatus {
  readonly isLeading: boolean;
  /** Whose the lease was when last seen; empty: nobody's, or never seen. */
  readonly holder: string;
  /** Since a try, good or bad, came to its end. */
  readonly quietMs: number;
}

const longestEndMs = 5_000;
const longestReleaseMs = 2_000;
const shortestPauseMs = 100;

export function createElection(parts: ElectionParts): Election {
  const { identity, times, store, clock } = parts;
  const keeper = createLeaseKeeper({ identity, leaseDurationMs: times.leaseDurationMs }, store, clock);
  const trouble = troubleOf(parts);
  const state: State = { isLeading: false, lastTryAtMs: clock.monotonicMs(), followed: '', trouble };
  const place = { parts, keeper, state };
  return {
    run: (work, signal) => run(place, work, signal),
    status: () => ({
      isLeading: state.isLeading,
      holder: keeper.view().holder,
      quietMs: clock.monotonicMs() - state.lastTryAtMs,
    }),
  };
}

interface State {
  isLeading: boolean;
  lastTryAtMs: number;
  /** Whom the log said that it follows; empty: nobody. */
  followed: string;
  readonly trouble: TroubleLog;
}

interface Place {
  readonly parts: ElectionParts;
  readonly keeper: LeaseKeeper;
  readonly state: State;
}

async function run(place: Place, work: Work, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const term = await campaign(place, signal);
    if (term === undefined) break;
    place.state.isLeading = true;
    await lead(place, term, work, signal).finally(() => {
      place.state.isLeading = false;
    });
  }
  await release(place);
}

/** `undefined`: the signal was aborted first. */
async function campaign(place: Place, signal: AbortSignal): Promise<Term | undefined> {
  const { times, clock } = place.parts;
  while (!signal.aborted) {
    const tried = await tryOnce(place, times.renewDeadlineMs / 2, signal);
    if (tried?.is === 'held') logHolder(place);
    const term = tried?.is === 'ours' ? startTerm(times, clock, tried) : undefined;
    if (term !== undefined && term.leftMs() > 0) return term;
    await sleep(clock, waitMs(place.parts, tried), signal);
  }
  return undefined;
}

/** A bad try is said and gives `undefined`: what happened is unknown. */
async function tryOnce(
  { parts, keeper, state }: Place,
  limitMs: number,
  signal: AbortSignal,
): Promise<Try | undefined> {
  try {
    const tried = await keeper.tryOnce(limitMs, signal);
    state.trouble.over();
    return tried;
  } catch (error) {
    if (!signal.aborted) state.trouble.met(failureFields(error));
    return undefined;
  } finally {
    state.lastTryAtMs = parts.clock.monotonicMs();
  }
}

/** Tries come every second or so. */
function troubleOf({ clock, log }: ElectionParts): TroubleLog {
  return createTroubleLog({
    clock,
    fails: (failure) => log.standard('electionFailing', failure),
    failsStill: (failure) => log.verbose('The Lease cannot be read or written yet', failure),
    works: () => log.standard('electionRecovered', {}),
  });
}

function logHolder({ parts, keeper, state }: Place): void {
  const { holder } = keeper.view();
  if (holder !== state.followed) parts.log.standard('following', { holder });
  state.followed = holder;
}

/**
 * Less than the retry period, so that a lease that was given back is found within one, and spread, so that candidates
 * do not come all at once. A lease that runs out is taken at that very moment.
 */
function waitMs({ times, clock, random }: ElectionParts, tried: Try | undefined): number {
  const pauseMs = times.retryPeriodMs * (0.6 + 0.2 * random());
  return tried?.is === 'held' ? Math.min(pauseMs, Math.max(1, tried.untilMs - clock.monotonicMs())) : pauseMs;
}

/** Resolves when there is reason to campaign again, or none to go on. */
async function lead(place: Place, term: Term, work: Work, signal: AbortSignal): Promise<void> {
  const { identity, log, clock } = place.parts;
  place.state.followed = '';
  log.standard('leading', { identity, reason: 'this replica holds the Lease' });
  const ended = new AbortController();
  const working = settle(work, term.leadership, ended);
  const isLost = await hold(place, term, AbortSignal.any([signal, ended.signal]));
  if (isLost) log.standard('leaseLost', { identity });
  const reason = new Error(isLost ? 'the lease is lost' : 'leading is over');
  if (isLost) term.lose(reason);
  else term.end(reason);
  await endsInTime(working, clock);
  term.lose(reason);
  const { error } = await working;
  if (error !== undefined) log.verbose('The work of the leader ended', failureFields(error));
  if (isLost || signal.aborted) return;
  await release(place);
  throw error instanceof Error ? error : new Error('the work of the leader ended by itself', { cause: error });
}

interface Worked {
  readonly error?: unknown;
}

async function settle(work: Work, leadership: Leadership, ended: AbortController): Promise<Worked> {
  try {
    await work(leadership);
    return {};
  } catch (error) {
    return { error };
  } finally {
    ended.abort(new Error('the work has ended'));
  }
}

/** Renews until that fails for good, which is `true`, or `stop` is aborted. */
async function hold(place: Place, term: Term, stop: AbortSignal): Promise<boolean> {
  const { times, clock } = place.parts;
  while (!stop.aborted) {
    const slept = await sleep(clock, Math.min(times.retryPeriodMs, pauseBefore(term.leftMs())), stop);
    if (slept && term.leftMs() === 0) return true;
    if (!slept) break;
    const tried = await tryOnce(place, Math.min(times.renewDeadlineMs / 2, term.leftMs()), stop);
    if (tried?.is === 'held') return true;
    if (tried?.is === 'ours') term.renew(tried);
  }
  return false;
}

/** Tries come closer together towards the deadline: the API server may be back for its last moment. */
function pauseBefore(deadlineMs: number): number {
  return deadlineMs > shortestPauseMs ? deadlineMs / 2 : Math.max(1, deadlineMs);
}

async function endsInTime(working: Promise<Worked>, clock: Clock): Promise<void> {
  const over = new AbortController();
  const isLate = sleep(clock, longestEndMs, over.signal);
  const first = await Promise.race([working, isLate]);
  over.abort(new Error('the work has ended'));
  if (first !== true) return;
  const remedy = 'start the process again; the others take over when the lease has run out';
  throw new Failure('unavailable', `the work of the leader did not end in ${longestEndMs / 1_000} s`, { remedy });
}

/** Only after the work has ended: whoever gets the lease acts at once. */
async function release({ parts: { identity, log }, keeper }: Place): Promise<void> {
  const wasOurs = keeper.view().holder === identity;
  try {
    await keeper.release(longestReleaseMs);
    if (wasOurs) log.standard('leaseReleased', { identity });
  } catch (error) {
    log.error('The Lease could not be given back, it has to run out', failureFields(error));
  }
}

/** Whether it was slept to the end. */
function sleep(clock: Clock, durationMs: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(durationMs, signal).then(
    () => true,
    () => false,
  );
}
