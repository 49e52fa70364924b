import type { IncomingMessage } from 'node:http';
import { addAbortSignal } from 'node:stream';
import type { Clock } from '../clock.ts';
import { exchange } from '../http/exchange.ts';
import type { TimeLimits } from '../http/limits.ts';
import { readBody } from '../http/read-body.ts';
import type { Access, Target } from './access/access.ts';
import { createConnections } from './connections.ts';
import type { Connections } from './connections.ts';
import { KubernetesError } from './kubernetes-error.ts';
import { persist } from './persist.ts';
import { statusError } from './status-error.ts';
import { unanswered } from './unanswered.ts';

export interface ApiRequest {
  /** For messages: "patch nodes worker-1". */
  readonly what: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  readonly path: string;
  /** Absent: JSON, as objects are. */
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
}

export interface TransportSettings {
  readonly access: Access;
  readonly userAgent: string;
  readonly limits: TimeLimits;
  readonly clock: Clock;
  readonly random: () => number;
}

/** Rejects with a `KubernetesError` when there is no success, with a `Failure` when there is nobody to speak as. */
export interface Transport {
  send(request: ApiRequest, signal: AbortSignal): Promise<string>;
  /** The answer's body as it comes, once its head is here. The signal ends it at any time. */
  open(request: ApiRequest, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  close(): void;
}

export function createTransport(settings: TransportSettings): Transport {
  const wires: Wires = { settings, connections: createConnections() };
  return {
    send: (request, signal) => attempt(wires, request, signal, (incoming) => readText(incoming, largestBodyBytes)),
    open: (request, signal) => attempt(wires, request, signal, (incoming) => streamOf(incoming, signal)),
    close: () => wires.connections.close(),
  };
}

/** A page of 500 nodes, each with its 50 images, takes about 10 MB. */
const largestBodyBytes = 128 * 1024 * 1024;
const largestRefusalBytes = 1_000_000;

interface Wires {
  readonly settings: TransportSettings;
  readonly connections: Connections;
}

type Use<T> = (incoming: IncomingMessage) => T | Promise<T>;

async function attempt<T>(wires: Wires, request: ApiRequest, signal: AbortSignal, use: Use<T>): Promise<T> {
  return persist((target) => once(wires, { ...request, target }, signal, use), wires.settings, signal);
}

type AimedRequest = ApiRequest & { readonly target: Target };

async function once<T>(wires: Wires, request: AimedRequest, signal: AbortSignal, use: Use<T>): Promise<T> {
  const { settings, connections } = wires;
  const { target, what, method, body } = request;
  const agent = connections.agentFor(target);
  const path = `${target.server.pathname.replace(/\/$/, '')}${request.path}`;
  // A kept connection ends when the API server is restarted: then it has not seen the request.
  const repeatable = method === 'GET';
  const outgoing = { method, path, headers: headersOf(request, settings), body, limits: settings.limits, repeatable };
  try {
    return await exchange(agent, outgoing, signal, async (incoming) => {
      const status = incoming.statusCode ?? 0;
      if (status >= 200 && status <= 299) return use(incoming);
      const text = withoutToken(await readText(incoming, largestRefusalBytes), target);
      const refusal = { status, retryAfter: incoming.headers['retry-after'], body: text };
      throw statusError(what, refusal, settings.clock.wallMs());
    });
  } catch (error) {
    if (error instanceof KubernetesError || signal.aborted) throw error;
    throw unanswered(what, target.server.host, error);
  }
}

function headersOf(
  { target, accept, contentType, body }: AimedRequest,
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

/** Something between us and the API server might quote what it was sent. */
function withoutToken(body: string, { token }: Target): string {
  return token === undefined ? body : body.replaceAll(token.reveal(), '***');
}

function streamOf(incoming: IncomingMessage, signal: AbortSignal): AsyncIterable<Uint8Array> {
  // Whoever reads is told by the iteration; an error before that must not end the process.
  incoming.on('error', () => {});
  return addAbortSignal(signal, incoming);
}
