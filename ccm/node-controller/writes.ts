import type { Clock } from '../../lib/clock.ts';
import { LeadershipLost } from './cluster.ts';

/** Limits writes, and checks right before each one that this process still leads. */
export interface Writes {
  run<T>(write: () => Promise<T>): Promise<T>;
}

export interface WriteLimits {
  readonly atOnce: number;
  /** 0: as many as the API server takes. */
  readonly perSecond: number;
  readonly burst: number;
}

export interface WriteParts {
  readonly limits: WriteLimits;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  mayWrite(): boolean;
}

export function createWrites(parts: WriteParts): Writes {
  const slots = createSlots(parts.limits.atOnce);
  const waitForTurn = createRateLimit(parts);
  return {
    run: async (write) => {
      await slots.acquire();
      try {
        await waitForTurn();
        if (!parts.mayWrite()) throw new LeadershipLost('another may be leading');
        return await write();
      } catch (cause) {
        // A write that the end of leadership aborts is no failure of the Node.
        throw parts.signal.aborted ? new LeadershipLost('leadership ended during a write', { cause }) : cause;
      } finally {
        slots.release();
      }
    },
  };
}

interface WriteSlots {
  acquire(): Promise<void>;
  release(): void;
}

function createSlots(count: number): WriteSlots {
  const waiting: (() => void)[] = [];
  let free = count;
  return {
    acquire: async () => {
      if (free > 0) free -= 1;
      else await waitForSlot(waiting);
    },
    /** The slot goes to the next write in the queue, if there is one. */
    release: () => {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}

function waitForSlot(waiting: (() => void)[]): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  waiting.push(() => resolve(undefined));
  return promise;
}

const msPerSecond = 1_000;

/** Waits until the next write is allowed to go out. */
function createRateLimit({ limits, clock, signal }: WriteParts): () => Promise<void> {
  const { perSecond, burst } = limits;
  if (perSecond === 0) return async () => {};
  const spacingMs = msPerSecond / perSecond;
  let nextAtMs = 0;
  return async () => {
    const nowMs = clock.monotonicMs();
    nextAtMs = Math.max(nextAtMs, nowMs - burst * spacingMs) + spacingMs;
    if (nextAtMs > nowMs) await clock.sleep(nextAtMs - nowMs, signal);
  };
}
