import { Failure } from '../../lib/failure.ts';
import type { HttpRequest, HttpResponse } from '../../lib/http/http.ts';
import { NetworkError, networkFailure } from '../../lib/http/network-error.ts';
import { parseJson } from '../../lib/json.ts';
import { retry } from '../../lib/retry.ts';
import type { Context } from '../../lib/context.ts';
import { googleFailure } from './errors.ts';
import type { GcpCall } from './errors.ts';

/** One question to an API of Google's. */
export interface GcpRequest extends GcpCall {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface GcpResponse {
  readonly json: unknown;
  /** By this node's clock, before the question was sent: lives that the answer speaks of began later. */
  readonly requestedAtMs: number;
  /** How far the other side's clock is ahead of ours; 0 where it does not say. */
  readonly skewMs: number;
}

const policy = { attempts: 4, firstWaitMs: 300, maxWaitMs: 5_000 };
/** All attempts together stay below the time that the whole answer may take, so that the last failure is told. */
const limits = { connectMs: 5_000, totalMs: 10_000 };

/** Asks until it is answered or refused. */
export async function askGoogle(request: GcpRequest, context: Context): Promise<GcpResponse> {
  context.log.debug(`${request.action} at ${request.target} as ${request.as}`);
  return retry(() => askOnce(request, context), policy, context);
}

async function askOnce(gcpRequest: GcpRequest, context: Context): Promise<GcpResponse> {
  const { url, headers, body } = gcpRequest;
  const requestedAtMs = context.clock.wallMs();
  const request = { method: 'POST', url, headers, body, route: 'proxied', repeatable: true, limits } as const;
  const response = await send(request, gcpRequest, context);
  const text = Buffer.from(response.body).toString('utf8');
  if (response.status !== 200) throw googleFailure(response, text, gcpRequest, context.clock.wallMs());
  const json = parseJson(text);
  if (json !== undefined) return { json, requestedAtMs, skewMs: skewOf(response, context.clock.wallMs()) };
  throw new Failure('invalid-response', `${gcpRequest.target} answered with something that is not its format`, {
    remedy: 'check that nothing else, such as a proxy, answers in its place',
  });
}

async function send(request: HttpRequest, { target }: GcpCall, context: Context): Promise<HttpResponse> {
  try {
    return await context.http.send(request, context.signal);
  } catch (error) {
    throw error instanceof NetworkError ? networkFailure(target, error) : error;
  }
}

/** A clock that is further off would not have got through TLS; a date from there is a mistake of the other side's. */
const maxSkewMs = 30 * 24 * 60 * 60_000;

function skewOf({ headers }: HttpResponse, wallMs: number): number {
  const skewMs = Date.parse(headers['date'] ?? '') - wallMs;
  return Math.abs(skewMs) <= maxSkewMs ? skewMs : 0;
}
