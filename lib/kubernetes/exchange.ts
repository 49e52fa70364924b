import type { ClientRequest, IncomingMessage } from 'node:http';
import { watchLimits } from '../http/limits.ts';
import type { TimeLimits } from '../http/limits.ts';
import type { Opening } from '../http/open-socket.ts';

/** A watch has to begin within the total. */
export const usualLimits: TimeLimits = { connectMs: 10_000, totalMs: 30_000 };

export interface Outgoing {
  readonly request: ClientRequest;
  /** Absent: on a connection that was kept. */
  readonly opening: Opening | undefined;
  readonly body: string | undefined;
  readonly limits: TimeLimits;
}

/** Sends, and hands the answer to `use`, which ends within the limits too. Rejects with whatever Node or `use` threw. */
export async function exchange<T>(
  { request, opening, body, limits }: Outgoing,
  signal: AbortSignal,
  use: (incoming: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (reason: Error): void => {
    reject(reason);
    opening?.abandon();
    request.destroy();
  };
  request.on('error', reject);
  request.on('response', (incoming) => {
    Promise.try(use, incoming).then(resolve, (error: unknown) => giveUp(error as Error));
  });
  const watch = watchLimits(limits, opening, signal, giveUp);
  request.on('socket', () => watch.connected());
  request.end(body);
  return promise.finally(watch.stop);
}
