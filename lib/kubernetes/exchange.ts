import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NetworkError } from '../http/network-error.ts';

export interface Limits {
  /** DNS, TCP and TLS together. */
  readonly connectMs: number;
  /** A whole request with its answer; of a watch, until it begins. */
  readonly totalMs: number;
}

export const usualLimits: Limits = { connectMs: 10_000, totalMs: 30_000 };

export interface Outgoing {
  readonly request: ClientRequest;
  readonly body: string | undefined;
  readonly limits: Limits;
}

/** Sends, and hands the answer to `use`, which ends within the limits too. Rejects with whatever Node or `use` threw. */
export async function exchange<T>(
  { request, body, limits }: Outgoing,
  signal: AbortSignal,
  use: (incoming: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const giveUp = (reason: Error): void => {
    reject(reason);
    request.destroy();
  };
  request.on('error', reject);
  request.on('response', (incoming) => {
    Promise.try(use, incoming).then(resolve, (error: unknown) => giveUp(error as Error));
  });
  const stopWatching = watch(request, { limits, signal, giveUp });
  request.end(body);
  return promise.finally(stopWatching);
}

interface Watch {
  readonly limits: Limits;
  readonly signal: AbortSignal;
  giveUp(reason: Error): void;
}

function watch(request: ClientRequest, { limits: { connectMs, totalMs }, signal, giveUp }: Watch): () => void {
  const connectTimer = setTimeout(() => giveUp(timedOut('connect-timeout', connectMs)), connectMs);
  const totalTimer = setTimeout(() => giveUp(timedOut('timeout', totalMs)), totalMs);
  const abort = (): void => giveUp(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  request.on('socket', (socket: Socket) => {
    const connected = (): void => clearTimeout(connectTimer);
    if (request.reusedSocket) connected();
    else socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', connected);
  });
  return () => {
    clearTimeout(connectTimer);
    clearTimeout(totalTimer);
    signal.removeEventListener('abort', abort);
  };
}

function timedOut(reason: 'connect-timeout' | 'timeout', limitMs: number): NetworkError {
  return new NetworkError(reason, `${limitMs / 1000} s`);
}
