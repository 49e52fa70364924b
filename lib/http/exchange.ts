import { createAnswerReader } from './answer-reader.ts';
import type { Answer } from './answer-reader.ts';
import { classifyNetworkError } from './classify-error.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { Dialling, Place } from './dial.ts';
import type { HttpLimits, HttpRequest, HttpResponse } from './http.ts';
import { NetworkError } from './network-error.ts';
import { requestBytes } from './request-bytes.ts';
import { proxyAuthorization } from './tunnel.ts';

/** One request and its whole answer, or a `NetworkError`, within the limits. */
export async function exchange(
  request: HttpRequest,
  place: Place,
  pool: ConnectionPool,
  signal: AbortSignal,
): Promise<HttpResponse> {
  signal.throwIfAborted();
  const bytes = requestBytes(request, throughProxy(place));
  const dialling = pool.take(place);
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const watching = watch(request.limits, signal, reject);
  try {
    return await Promise.race([ask(dialling), givenUp]);
  } catch (error) {
    dialling.abandon();
    throw error === signal.reason ? error : classifyNetworkError(error);
  } finally {
    watching.stop();
  }

  async function ask({ connection: opening }: Dialling): Promise<HttpResponse> {
    const connection = await opening;
    watching.connected();
    const { response, keepsConnection } = await converse(connection, bytes, request.limits.bodyBytes);
    if (keepsConnection && connection.isUsable()) pool.keep(place, connection);
    else connection.destroy();
    return response;
  }
}

/** Over TLS a proxy leads a connection on and sees no request. */
function throughProxy({ url, proxy }: Place): Readonly<Record<string, string>> | undefined {
  return proxy === undefined || url.protocol === 'https:' ? undefined : proxyAuthorization(proxy);
}

function converse(connection: Connection, bytes: Buffer, limitBytes: number | undefined): Promise<Answer> {
  const reader = createAnswerReader(limitBytes);
  let isOver = false;
  return new Promise((resolve, reject) => {
    const attempt = (read: () => Answer | undefined): void => {
      // Nobody asked for what follows, and the next answer must not begin with it.
      if (isOver) {
        connection.destroy();
        return;
      }
      try {
        const answer = read();
        isOver = answer !== undefined;
        if (answer !== undefined) resolve(answer);
      } catch (error) {
        isOver = true;
        reject(classifyNetworkError(error));
      }
    };
    connection.use({
      bytes: (part) => attempt(() => reader.read(part)),
      over: (reason) => attempt(() => reader.end(reason)),
    });
    connection.send(bytes);
  });
}

interface Watching {
  connected(): void;
  stop(): void;
}

/** Both limits and the caller's signal end the request. */
function watch({ connectMs, totalMs }: HttpLimits, signal: AbortSignal, giveUp: (reason: Error) => void): Watching {
  const connectTimer = setTimeout(() => giveUp(timedOut('connect-timeout', connectMs)), connectMs);
  const totalTimer = setTimeout(() => giveUp(timedOut('timeout', totalMs)), totalMs);
  const abort = (): void => giveUp(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  return {
    connected: () => clearTimeout(connectTimer),
    stop: () => {
      clearTimeout(connectTimer);
      clearTimeout(totalTimer);
      signal.removeEventListener('abort', abort);
    },
  };
}

function timedOut(reason: 'connect-timeout' | 'timeout', limitMs: number): NetworkError {
  return new NetworkError(reason, `${limitMs / 1000} s`);
}
