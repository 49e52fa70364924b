import { createAnswerReader } from './answer-reader.ts';
import type { Answer } from './answer-reader.ts';
import { classifyNetworkError } from './classify-error.ts';
import type { Connection } from './connection.ts';
import type { ConnectionPool } from './connection-pool.ts';
import type { Dialling } from './dial.ts';
import type { HttpRequest, HttpResponse } from './http.ts';
import { watchLimits } from './limits.ts';
import { NetworkError } from './network-error.ts';
import type { Place } from './open-socket.ts';
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
  try {
    return await sendOver(request, { bytes, dialling, place, pool }, signal);
  } catch (error) {
    if (!(dialling.isKept && isRepeatable(request) && error instanceof EndedUnanswered)) throw error;
    return sendOver(request, { bytes, dialling: pool.open(place), place, pool }, signal);
  }
}

/** The connection ended before a byte of the response. */
class EndedUnanswered extends NetworkError {}

function isRepeatable({ method, repeatable }: HttpRequest): boolean {
  return repeatable ?? method === 'GET';
}

interface Way {
  readonly bytes: Buffer;
  readonly dialling: Dialling;
  readonly place: Place;
  readonly pool: ConnectionPool;
}

async function sendOver(request: HttpRequest, way: Way, signal: AbortSignal): Promise<HttpResponse> {
  const { bytes, dialling, place, pool } = way;
  const { promise: givenUp, reject } = Promise.withResolvers<never>();
  const watching = watchLimits(request.limits, dialling.isKept ? undefined : dialling, signal, reject);
  try {
    return await Promise.race([ask(), givenUp]);
  } catch (error) {
    dialling.abandon();
    throw error === signal.reason ? error : named(classifyNetworkError(error));
  } finally {
    watching.stop();
  }

  async function ask(): Promise<HttpResponse> {
    const connection = await dialling.connection;
    watching.connected();
    const { response, keepsConnection } = await converse(connection, bytes, request.limits.bodyBytes);
    if (keepsConnection && connection.isUsable()) pool.keep(place, connection);
    else connection.destroy();
    return response;
  }

  function named(error: NetworkError): NetworkError {
    return error.proxy === undefined ? error.at(dialling.proxyInUse()) : error;
  }
}

/** Over TLS a proxy leads a connection on and sees no request. */
function throughProxy({ url, proxy }: Place): Readonly<Record<string, string>> | undefined {
  return proxy === undefined || url.protocol === 'https:' ? undefined : proxyAuthorization(proxy);
}

function converse(connection: Connection, bytes: Buffer, limitBytes: number | undefined): Promise<Answer> {
  const reader = createAnswerReader(limitBytes);
  let isOver = false;
  let isSilent = true;
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
        const failure = classifyNetworkError(error);
        const { reason, message, cause } = failure;
        reject(isSilent && reason === 'reset' ? new EndedUnanswered(reason, message, cause) : failure);
      }
    };
    connection.use({
      bytes: (part) => {
        isSilent = false;
        attempt(() => reader.read(part));
      },
      over: (reason) => attempt(() => reader.end(reason)),
    });
    connection.send(bytes);
  });
}
