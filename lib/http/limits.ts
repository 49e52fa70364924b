import { NetworkError } from './network-error.ts';
import type { NetworkReason } from './network-error.ts';
import type { Opening } from './open-socket.ts';
import { resolveMs } from './resolve.ts';

export interface TimeLimits {
  /** TCP, a proxy's tunnel and TLS together. DNS before that has a limit of its own (resolve.ts). */
  readonly connectMs: number;
  /** The whole exchange once the host's address is known, connecting included. */
  readonly totalMs: number;
}

export interface Watch {
  connected(): void;
  stop(): void;
}

/** All limits and the caller's signal end the request. `opening`: absent on a connection that is open already. */
export function watchLimits(
  { connectMs, totalMs }: TimeLimits,
  opening: Pick<Opening, 'resolved'> | undefined,
  signal: AbortSignal,
  giveUp: (reason: Error) => void,
): Watch {
  const timers = new Map<NetworkReason, NodeJS.Timeout>();
  let isStopped = false;
  const begin = (reason: NetworkReason, ms: number): void => {
    timers.set(
      reason,
      setTimeout(() => giveUp(new NetworkError(reason, `${ms / 1000} s`)), ms),
    );
  };
  const end = (reason: NetworkReason): void => clearTimeout(timers.get(reason));
  const resolved = (): void => {
    end('name-timeout');
    if (isStopped) return;
    begin('connect-timeout', connectMs);
    begin('timeout', totalMs);
  };
  const abort = (): void => giveUp(signal.reason as Error);
  if (opening === undefined) begin('timeout', totalMs);
  else {
    begin('name-timeout', resolveMs);
    opening.resolved.then(resolved, resolved);
  }
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    connected: () => end('connect-timeout'),
    stop: () => {
      isStopped = true;
      for (const reason of timers.keys()) end(reason);
      signal.removeEventListener('abort', abort);
    },
  };
}
