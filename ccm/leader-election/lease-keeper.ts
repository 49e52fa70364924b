import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import type { Lease } from '../../schemas/kubernetes.ts';
import { decide, nothingSeen, observe, released } from './decide.ts';
import type { Candidate, Decision, LeaseView, Moment } from './decide.ts';
import type { LeaseStore } from './lease-store.ts';

/** What one try to have or keep the lease came to; throws when the API server cannot be asked. */
export type Try =
  /** Ours, counted from before the request: nobody can have seen it earlier. */
  | { readonly is: 'ours'; readonly sinceMs: number; readonly sinceWallMs: number }
  | { readonly is: 'held'; readonly untilMs: number }
  /** Somebody was faster, again and again. */
  | { readonly is: 'contended' };

/** Reads and writes the lease for one candidate, and remembers what it has seen. */
export interface LeaseKeeper {
  tryOnce(limitMs: number, signal: AbortSignal): Promise<Try>;
  /** Gives it back if it is ours. */
  release(limitMs: number): Promise<void>;
  view(): LeaseView;
}

/** A conflict is often our own write whose answer got lost; reading again shows it. */
const writesPerTry = 2;

export function createLeaseKeeper(candidate: Candidate, store: LeaseStore, clock: Clock): LeaseKeeper {
  let view = nothingSeen;
  /** What was seen may not be the newest any more. */
  let isStale = true;

  async function refresh(signal: AbortSignal): Promise<void> {
    const lease = await store.read(signal);
    signal.throwIfAborted();
    view = observe(view, lease, clock.monotonicMs());
    isStale = false;
  }

  async function write(send: () => Promise<Lease | 'conflict'>, signal: AbortSignal): Promise<boolean> {
    isStale = true;
    const answer = await send();
    signal.throwIfAborted();
    if (answer === 'conflict') return false;
    view = observe(view, answer, clock.monotonicMs());
    isStale = false;
    return true;
  }

  async function tryToHave(signal: AbortSignal): Promise<Try> {
    for (let writes = 0; writes < writesPerTry; writes += 1) {
      // A lease of somebody else's has to be looked at again; our own nobody else changes.
      if (isStale || view.holder !== candidate.identity) await refresh(signal);
      const now = momentOf(clock);
      const decision = decide(view, candidate, now);
      if (decision.do === 'wait') return { is: 'held', untilMs: decision.untilMs };
      const isOurs = await write(() => carryOut(decision, store, signal), signal);
      if (isOurs) return { is: 'ours', sinceMs: now.monotonicMs, sinceWallMs: now.wallMs };
    }
    return { is: 'contended' };
  }

  async function giveBack(signal: AbortSignal): Promise<void> {
    for (let writes = 0; writes < writesPerTry; writes += 1) {
      if (isStale) await refresh(signal);
      const { lease, holder } = view;
      if (lease === undefined || holder !== candidate.identity) return;
      if (await write(() => store.update(released(lease, clock.wallMs()), signal), signal)) return;
    }
  }

  return {
    tryOnce: (limitMs, signal) => within({ limitMs, clock, signal }, tryToHave),
    release: (limitMs) => within({ limitMs, clock, signal: new AbortController().signal }, giveBack),
    view: () => view,
  };
}

function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() };
}

function carryOut(
  decision: Exclude<Decision, { readonly do: 'wait' }>,
  store: LeaseStore,
  signal: AbortSignal,
): Promise<Lease | 'conflict'> {
  return decision.do === 'create' ? store.create(decision.spec, signal) : store.update(decision.lease, signal);
}

interface Limit {
  readonly limitMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Ends by the limit even if what it waits for does not listen to its signal. */
async function within<T>({ limitMs, clock, signal }: Limit, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController();
  const either = AbortSignal.any([signal, over.signal]);
  const limit = clock.sleep(limitMs, either).then(() => {
    const remedy = 'check the way to the API server and its load';
    throw new Failure('unavailable', `the Lease: no answer from the API server in ${limitMs} ms`, { remedy });
  });
  try {
    return await Promise.race([run(either), limit]);
  } finally {
    over.abort(new Error('the try is over'));
    await limit.catch(() => {});
  }
}
