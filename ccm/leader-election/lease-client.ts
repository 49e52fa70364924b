import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { Lease } from '../../schemas/kubernetes.ts';
import { decide, emptyView, observe, released } from './decide.ts';
import type { ElectionCandidate, ElectionDecision, LeaseView, ClockReading } from './decide.ts';
import type { LeaseStore } from './lease-store.ts';

/** The result of one attempt to get or keep the lease. Throws when the API server does not respond. */
export type AcquireResult =
  /** We hold it, counted from before the request: no other candidate can have seen it earlier. */
  | { readonly is: 'ours'; readonly sinceMs: number; readonly sinceWallMs: number }
  | { readonly is: 'held'; readonly untilMs: number }
  /** Another candidate was faster, repeatedly. */
  | { readonly is: 'contended' };

/** Reads and writes the lease for one candidate, and remembers what it has seen. */
export interface LeaseClient {
  tryAcquireOrRenew(limitMs: number, signal: AbortSignal): Promise<AcquireResult>;
  /** Releases it if we hold it. */
  release(limitMs: number): Promise<void>;
  view(): LeaseView;
}

/** A conflict is often our own write whose response was lost. Reading again shows it. */
const writesPerAttempt = 2;

export function createLeaseClient(candidate: ElectionCandidate, store: LeaseStore, clock: Clock): LeaseClient {
  let view = emptyView;
  /** The state that was seen may be out of date. */
  let isStale = true;

  async function refresh(signal: AbortSignal): Promise<void> {
    const lease = await store.read(signal);
    signal.throwIfAborted();
    view = observe(view, lease, clock.monotonicMs());
    isStale = false;
  }

  async function write(send: () => Promise<Lease | 'conflict'>, signal: AbortSignal): Promise<boolean> {
    isStale = true;
    const response = await send();
    signal.throwIfAborted();
    if (response === 'conflict') return false;
    view = observe(view, response, clock.monotonicMs());
    isStale = false;
    return true;
  }

  async function acquireOrRenew(signal: AbortSignal): Promise<AcquireResult> {
    for (let writes = 0; writes < writesPerAttempt; writes += 1) {
      // Another candidate's lease has to be read again. No other candidate changes ours.
      if (isStale || view.holder !== candidate.identity) await refresh(signal);
      const now = readClock(clock);
      const decision = decide(view, candidate, now);
      if (decision.do === 'wait') return { is: 'held', untilMs: decision.untilMs };
      const isOurs = await write(() => applyDecision(decision, store, signal), signal);
      if (isOurs) return { is: 'ours', sinceMs: now.monotonicMs, sinceWallMs: now.wallMs };
    }
    return { is: 'contended' };
  }

  async function releaseLease(signal: AbortSignal): Promise<void> {
    for (let writes = 0; writes < writesPerAttempt; writes += 1) {
      if (isStale) await refresh(signal);
      const { lease, holder } = view;
      if (lease === undefined || holder !== candidate.identity) return;
      if (await write(() => store.update(released(lease, clock.wallMs()), signal), signal)) return;
    }
  }

  return {
    tryAcquireOrRenew: (limitMs, signal) => withTimeLimit({ limitMs, clock, signal }, acquireOrRenew),
    release: (limitMs) => withTimeLimit({ limitMs, clock, signal: new AbortController().signal }, releaseLease),
    view: () => view,
  };
}

function readClock(clock: Clock): ClockReading {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

function applyDecision(
  decision: Exclude<ElectionDecision, { readonly do: 'wait' }>,
  store: LeaseStore,
  signal: AbortSignal,
): Promise<Lease | 'conflict'> {
  return decision.do === 'create' ? store.create(decision.spec, signal) : store.update(decision.lease, signal);
}

interface TimeLimit {
  readonly limitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Ends at the limit even if the operation ignores its signal. */
async function withTimeLimit<T>(
  { limitMs, clock, signal }: TimeLimit,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const finished = new AbortController();
  const stop = AbortSignal.any([signal, finished.signal]);
  const timeout = clock.sleep(limitMs, stop).then(() => {
    const remedy = 'check the way to the API server and its load';
    throw new Failure('unavailable', `the Lease: no answer from the API server in ${limitMs} ms`, { remedy });
  });
  try {
    return await Promise.race([run(stop), timeout]);
  } finally {
    finished.abort(new Error('the try is over'));
    await timeout.catch(() => {});
  }
}
