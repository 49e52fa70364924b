import type { IncomingMessage } from 'node:http';
import type { Agent, StartedRequest } from './agent.ts';
import { classifyNetworkError } from './classify-error.ts';
import { startLimitTimers } from './limits.ts';
import type { TimeLimits } from './limits.ts';
import { NetworkError } from './network-error.ts';
import { proxyOfExchange } from './open-socket.ts';
import { requestOptions } from './request-options.ts';
import type { RequestHead } from './request-options.ts';

export interface ExchangeRequest extends RequestHead {
  readonly limits: TimeLimits;
  /** True if the server may receive the request twice. */
  readonly repeatable: boolean;
}

/**
 * Sends one request and passes its response to `use`, which must settle within the limits too. Rejects with a
 * `NetworkError`, with what `use` throws, or with the signal's reason.
 */
export async function exchange<T>(
  agent: Agent,
  request: ExchangeRequest,
  signal: AbortSignal,
  use: (response: IncomingMessage) => T | Promise<T>,
): Promise<T> {
  signal.throwIfAborted();
  const params = { agent, request, signal, use };
  const first = start(agent, request);
  try {
    return await finish(first, params);
  } catch (error) {
    const isReset = error instanceof NetworkError && error.reason === 'reset';
    if (!isReset || agent.isClosed || !first.mayRepeat()) throw error;
  }
  // The other connections have been idle for just as long.
  agent.closeIdle();
  return finish(start(agent, request), params);
}

interface StartedExchange extends StartedRequest {
  /**
   * A server may close an idle connection just when a request is sent: then a kept connection ends without a response. A
   * request that the server cannot have received may always be repeated.
   */
  mayRepeat(): boolean;
}

function start(agent: Agent, head: ExchangeRequest): StartedExchange {
  try {
    const { request, pendingConnection } = agent.start(requestOptions(head, agent.target));
    let bytesBefore = 0;
    let wasClosed = false;
    request.once('socket', ({ bytesRead, destroyed }) => {
      bytesBefore = bytesRead;
      // The connection ended a moment ago, and its end was not reported yet. Nothing was sent on it.
      wasClosed = destroyed;
    });
    const isSilent = (): boolean => request.socket?.bytesRead === bytesBefore;
    return {
      request,
      pendingConnection,
      mayRepeat: () => wasClosed || (head.repeatable && request.reusedSocket && isSilent()),
    };
  } catch (error) {
    // Node's message contains the name of the header, but not its value.
    throw error instanceof NetworkError ? error : new NetworkError('other', (error as Error).message, error);
  }
}

interface ExchangeParams<T> {
  readonly agent: Agent;
  readonly request: ExchangeRequest;
  readonly signal: AbortSignal;
  use(response: IncomingMessage): T | Promise<T>;
}

async function finish<T>({ request, pendingConnection }: StartedExchange, params: ExchangeParams<T>): Promise<T> {
  const { agent, signal, use } = params;
  const { body, limits } = params.request;
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  let response: IncomingMessage | undefined;
  const fail = (reason: unknown): void => {
    reject(reason);
    pendingConnection?.abort();
    request.destroy();
  };
  request.on('response', (incoming) => {
    response = incoming;
    // The server will not read the rest of the request, so the connection cannot be used again.
    incoming.once('end', () => {
      if (!request.writableFinished) request.destroy();
    });
    Promise.try(() => {
      checkHead(incoming);
      return use(incoming);
    }).then(resolve, fail);
  });
  request.on('upgrade', () => fail(new NetworkError('not-http', 'another protocol')));
  // Bytes after a complete response end the connection and do not affect this request.
  request.on('error', (error) => {
    if (response?.complete !== true) reject(asNetworkError(error, response));
  });
  const timers = startLimitTimers(limits, pendingConnection, signal, fail);
  request.on('socket', () => timers.connected());
  try {
    request.end(body);
    return await promise;
  } catch (error) {
    if (!(error instanceof NetworkError) || error.proxy !== undefined) throw error;
    throw error.withProxy(
      pendingConnection === undefined ? proxyOfExchange(agent.target) : pendingConnection.proxyInUse(),
    );
  } finally {
    timers.stop();
  }
}

/** Node's parser accepts more: other versions, and encodings around the chunks that no code here decodes. */
function checkHead({ httpVersionMajor, statusCode = 0, headers }: IncomingMessage): void {
  const encoding = headers['transfer-encoding'] ?? 'chunked';
  if (httpVersionMajor !== 1) throw new NetworkError('not-http', 'another version of HTTP');
  if (statusCode < 200) throw new NetworkError('not-http', `HTTP ${statusCode} is no answer`);
  if (encoding.toLowerCase() !== 'chunked') throw new NetworkError('not-http', 'a body of unclear length');
}

function asNetworkError(error: unknown, response: IncomingMessage | undefined): NetworkError {
  const failure = classifyNetworkError(error);
  if (failure.reason !== 'reset') return failure;
  return new NetworkError(response === undefined ? 'reset' : 'cut-off', '', error);
}
