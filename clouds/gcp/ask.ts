import { apiRequest, apiRetryPolicy, ask, bodyJson } from '../../lib/http/ask.ts';
import { clockSkewMs } from '../../lib/http/clock-skew.ts';
import { retry } from '../../lib/retry.ts';
import type { Context } from '../../lib/context.ts';
import { googleFailure } from './errors.ts';
import type { GcpCall } from './errors.ts';

/** One request to an API of Google's. */
export interface GcpRequest extends GcpCall {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | URLSearchParams;
}

export interface GcpResponse {
  readonly json: unknown;
  /** By this node's clock, before the request was sent: lifetimes in the response began later. */
  readonly requestedAtMs: number;
  /** How far the server's clock is ahead of ours; 0 if the response does not show it. */
  readonly skewMs: number;
}

/** Sends until there is an answer or a refusal. */
export async function askGoogle(request: GcpRequest, context: Context): Promise<GcpResponse> {
  context.log.debug(`${request.action} at ${request.target} as ${request.as}`);
  return retry(() => askOnce(request, context), apiRetryPolicy, context);
}

async function askOnce(request: GcpRequest, context: Context): Promise<GcpResponse> {
  const { target, url, headers = {}, body } = request;
  const { clock } = context;
  const requestedAtMs = clock.wallMs();
  const response = await ask({ ...apiRequest, target, method: 'POST', url, headers, body }, context);
  if (response.status !== 200) throw googleFailure(response, request, clock.wallMs());
  return { json: bodyJson(response, target), requestedAtMs, skewMs: clockSkewMs(response, clock.wallMs()) ?? 0 };
}
