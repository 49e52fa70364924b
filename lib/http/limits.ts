import { NetworkError } from './network-error.ts';
import type { NetworkReason } from './network-error.ts';
import type { PendingConnection } from './open-socket.ts';
import { resolveTimeoutMs } from './resolve.ts';

export interface TimeLimits {
  /** TCP, the tunnel of a proxy and TLS together. DNS has a limit of its own (resolve.ts). */
  readonly connectMs: number;
  /** The whole exchange from the moment the address of the host is known, connecting included. */
  readonly totalMs: number;
}

export interface LimitTimers {
  connected(): void;
  stop(): void;
}

/** Every limit and the caller's signal end the request. `opening` is absent if the connection is already open. */
export function startLimitTimers(
  { connectMs, totalMs }: TimeLimits,
  pendingConnection: Pick<PendingConnection, 'resolved'> | undefined,
  signal: AbortSignal,
  fail: (reason: Error) => void,
): LimitTimers {
  const timers = new Map<NetworkReason, NodeJS.Timeout>();
  let isStopped = false;
  const startTimer = (reason: NetworkReason, ms: number): void => {
    timers.set(
      reason,
      setTimeout(() => fail(new NetworkError(reason, `${ms / 1000} s`)), ms),
    );
  };
  const stopTimer = (reason: NetworkReason): void => clearTimeout(timers.get(reason));
  const onResolved = (): void => {
    stopTimer('name-timeout');
    if (isStopped) return;
    startTimer('connect-timeout', connectMs);
    startTimer('timeout', totalMs);
  };
  const onAbort = (): void => fail(signal.reason as Error);
  if (pendingConnection === undefined) startTimer('timeout', totalMs);
  else {
    startTimer('name-timeout', resolveTimeoutMs);
    pendingConnection.resolved.then(onResolved, onResolved);
  }
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  return {
    connected: () => stopTimer('connect-timeout'),
    stop: () => {
      isStopped = true;
      for (const reason of timers.keys()) stopTimer(reason);
      signal.removeEventListener('abort', onAbort);
    },
  };
}
