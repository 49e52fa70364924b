import type { Clock } from '../clock.ts';
import type { IpAddress } from './resolve.ts';

/** A TCP connection that is being opened. */
export interface ConnectionAttempt {
  readonly connected: Promise<void>;
  destroy(): void;
}

/** The recommendation of RFC 8305 ("Happy Eyeballs"), section 8. */
const nextAttemptAfterMs = 250;

/**
 * Connects to the first address that accepts. The next address is tried when an attempt fails, and every 250 ms; earlier
 * attempts continue, so several slow addresses take no longer than the first of them. Rejects with the first error when
 * all have failed, and with the signal's reason when it is aborted.
 */
export async function connectRace<T extends ConnectionAttempt>(
  addresses: readonly IpAddress[],
  open: (address: IpAddress) => T,
  { clock, signal }: { readonly clock: Pick<Clock, 'sleep'>; readonly signal: AbortSignal },
): Promise<T> {
  signal.throwIfAborted();
  const remaining = alternateFamilies(addresses);
  const underWay = new Set<T>();
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let firstError: unknown;
  let wait = new AbortController();

  function openNext(): void {
    wait.abort();
    const address = remaining.shift();
    if (address === undefined) return;
    const attempt = open(address);
    underWay.add(attempt);
    attempt.connected.then(
      () => resolve(attempt),
      (error: unknown) => fail(attempt, error),
    );
    if (remaining.length === 0) return;
    wait = new AbortController();
    clock.sleep(nextAttemptAfterMs, wait.signal).then(openNext, () => {});
  }

  function fail(attempt: T, error: unknown): void {
    firstError ??= error;
    underWay.delete(attempt);
    if (remaining.length > 0) openNext();
    else if (underWay.size === 0) reject(firstError);
  }

  const abort = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  openNext();
  try {
    const winner = await promise;
    underWay.delete(winner);
    return winner;
  } finally {
    wait.abort();
    remaining.length = 0;
    signal.removeEventListener('abort', abort);
    for (const attempt of underWay) attempt.destroy();
  }
}

/** Alternates between the families, starting with the resolver's first: if one family is broken, only 250 ms are lost. */
function alternateFamilies(addresses: readonly IpAddress[]): IpAddress[] {
  const preferred = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  const longest = Math.max(preferred.length, others.length);
  return Array.from({ length: longest }, (_, index) => [preferred[index], others[index]])
    .flat()
    .filter((address) => address !== undefined);
}
