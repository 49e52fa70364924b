import type { Failure } from '../../lib/failure.ts';
import type { Context } from '../../lib/context.ts';
import { apiRequest, ask, bodyJson } from '../../lib/http/ask.ts';
import type { DigitaloceanConfig } from '../../schemas/config/digitalocean.ts';
import { apiFailure, isNotFound } from './errors.ts';
import type { ApiToken } from './token.ts';

/** One request to the API. */
export interface DigitaloceanRequest {
  /** Below `/v2/`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The scope that a token needs for it. */
  readonly scope: string;
}

export type DigitaloceanResponse =
  | { readonly is: 'answer'; readonly json: unknown; readonly target: string; readonly requestedAtMs: number }
  /** DigitalOcean itself reports that it does not exist, or that the token may not see it. */
  | { readonly is: 'missing'; readonly failure: Failure };

/** A page with 100 Droplets has about 1 MB. */
const bodyBytes = 16 * 1024 * 1024;

export function apiUrl({ endpoint }: Pick<DigitaloceanConfig, 'endpoint'>): URL {
  return new URL(endpoint ?? 'https://api.digitalocean.com');
}

/** Sends once. Throws a `Failure` for everything but these responses. */
export async function askApi(
  { path, query = {}, scope }: DigitaloceanRequest,
  { token, source }: ApiToken,
  config: DigitaloceanConfig,
  context: Context,
): Promise<DigitaloceanResponse> {
  const url = new URL(`/v2/${path}`, apiUrl(config));
  url.search = new URLSearchParams(query).toString();
  const target = url.host;
  const headers = { authorization: `Bearer ${token.reveal()}`, accept: 'application/json' };
  const limits = { ...apiRequest.limits, bodyBytes };
  const requestedAtMs = context.clock.wallMs();
  const response = await ask({ ...apiRequest, target, method: 'GET', url, headers, limits }, context);
  if (response.status === 200) return { is: 'answer', json: bodyJson(response, target), target, requestedAtMs };
  const failure = apiFailure(response, { target, scope, as: source }, context.clock.wallMs());
  if (isNotFound(response)) return { is: 'missing', failure };
  throw failure;
}
