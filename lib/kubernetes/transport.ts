import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { Clock } from '../clock.ts';
import { classifyNetworkError } from '../http/classify-error.ts';
import { exchange } from '../http/exchange.ts';
import type { TimeLimits } from '../http/limits.ts';
import { networkFailure } from '../http/network-error.ts';
import { readBody } from '../http/read-body.ts';
import type { ClusterAccess, ApiServerTarget } from './access/cluster-access.ts';
import { createApiConnections } from './api-connections.ts';
import type { ApiConnections } from './api-connections.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { withRetries } from './with-retries.ts';
import { statusError } from './status-error.ts';

export interface ApiRequest {
  /** For messages: "patch nodes worker-1". */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** Absent: JSON. */
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface TransportSettings {
  readonly access: ClusterAccess;
  readonly userAgent: string;
  readonly limits: TimeLimits;
  readonly clock: Clock;
  readonly random: () => number;
  /** Absent: nothing observes the requests. */
  readonly observe?: ApiRequestObserver;
}

/** Called at the end of each request that was sent; a retry is another request. */
export type ApiRequestObserver = (request: {
  readonly method: ApiRequest['method'];
  /** Absent: there was no response. */
  readonly status?: number;
  /** Absent: a stream. */
  readonly durationMs?: number;
}) => void;

/** Rejects with a `KubernetesError` when a request fails, with a `Failure` when there are no credentials. */
export interface Transport {
  /** `parse` reduces the body at once, so that waiting callers do not keep the body in memory. */
  send<T>(request: ApiRequest, signal: AbortSignal, parse: (body: string) => T): Promise<T>;
  /** The response's body as a stream, after its head has arrived. The signal ends it at any time. */
  openStream(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

export function createTransport(settings: TransportSettings): Transport {
  const deps: TransportDeps = { settings, connections: createApiConnections() };
  return {
    send: (request, signal, parse) => {
      const use = async (incoming: IncomingMessage) => parse(await readText(incoming, largestBodyBytes));
      return sendWithRetries(deps, request, signal, { isStream: false, use });
    },
    openStream: (request, signal) => {
      const use = (incoming: IncomingMessage) => streamOf(incoming, signal);
      return sendWithRetries(deps, request, signal, { isStream: true, use });
    },
    close: () => deps.connections.close(),
  };
}

/** A page of 500 nodes, each with its 50 images, takes about 10 MB. */
const largestBodyBytes = 128 * 1024 * 1024;
const largestErrorBytes = 1_000_000;

interface TransportDeps {
  readonly settings: TransportSettings;
  readonly connections: ApiConnections;
}

interface ResponseReader<T> {
  readonly isStream: boolean;
  use(incoming: IncomingMessage): T | Promise<T>;
}

async function sendWithRetries<T>(
  deps: TransportDeps,
  request: ApiRequest,
  signal: AbortSignal,
  reader: ResponseReader<T>,
): Promise<T> {
  return withRetries((target) => sendOnce(deps, { ...request, target }, signal, reader), deps.settings, signal);
}

type TargetedRequest = ApiRequest & { readonly target: ApiServerTarget };

async function sendOnce<T>(
  deps: TransportDeps,
  request: TargetedRequest,
  signal: AbortSignal,
  { isStream, use }: ResponseReader<T>,
): Promise<T> {
  const { settings, connections } = deps;
  const { target, what, method, body } = request;
  const agent = connections.agentFor(target);
  const path = `${target.server.pathname.replace(/\/$/, '')}${request.path}`;
  // A restart of the API server ends a kept connection. Then it has not seen the request.
  const repeatable = method === 'GET';
  const outgoing = { method, path, headers: headersOf(request, settings), body, limits: settings.limits, repeatable };
  const startedAtMs = settings.clock.monotonicMs();
  let status: number | undefined;
  try {
    return await exchange(agent, outgoing, signal, async (incoming) => {
      status = incoming.statusCode ?? 0;
      if (status >= 200 && status <= 299) return use(incoming);
      const text = withoutToken(await readText(incoming, largestErrorBytes), target);
      const errorResponse = { status, retryAfter: incoming.headers['retry-after'], body: text };
      throw statusError(what, errorResponse, settings.clock.wallMs());
    });
  } catch (error) {
    if (error instanceof KubernetesError || signal.aborted) throw error;
    throw connectionError(what, target.server.host, error);
  } finally {
    const durationMs = isStream ? undefined : settings.clock.monotonicMs() - startedAtMs;
    settings.observe?.({
      method,
      ...(status !== undefined && { status }),
      ...(durationMs !== undefined && { durationMs }),
    });
  }
}

function headersOf(
  { target, accept, contentType, body }: TargetedRequest,
  { userAgent }: TransportSettings,
): Readonly<Record<string, string>> {
  return {
    accept: accept ?? 'application/json',
    'user-agent': userAgent,
    ...(target.token !== undefined && { authorization: `Bearer ${target.token.reveal()}` }),
    ...(body !== undefined && { 'content-type': contentType ?? 'application/json' }),
  };
}

async function readText(incoming: IncomingMessage, largestBytes: number): Promise<string> {
  return (await readBody(incoming, largestBytes)).toString('utf8');
}

/** A proxy in front of the API server might quote the request. */
function withoutToken(body: string, { token }: ApiServerTarget): string {
  return token === undefined ? body : body.replaceAll(token.reveal(), '***');
}

function streamOf(incoming: IncomingMessage, signal: AbortSignal): AsyncIterable<Uint8Array> {
  // The reader gets the error from the iteration. An error before that must not end the process.
  incoming.on('error', () => {});
  return addAbortSignal(signal, incoming);
}

const untrustedRemedy = "check that the certificate-authority of the kubeconfig is the one of this API server's";

/** There was no complete response: `unavailable` for every reason, since clusters change authorities and come back. */
function connectionError(what: string, host: string, error: unknown): KubernetesError {
  const network = classifyNetworkError(error);
  const { message, remedy } = networkFailure(`the API server ${host}`, network);
  return new KubernetesError('unavailable', `${what}: ${message}`, {
    remedy: network.reason === 'untrusted' ? untrustedRemedy : remedy,
    cause: error,
  });
}
