import type { LabResponse } from '../cloud.ts';

/** In the form of Google's APIs: https://google.aip.dev/193 */
export function apiError(code: number, status: string, message: string, info?: ErrorInfo): LabResponse {
  const details =
    info === undefined ? {} : { details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', ...info }] };
  return json(code, { error: { code, message, status, ...details } });
}

interface ErrorInfo {
  readonly reason: string;
  readonly domain: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** In the older form of Compute Engine, mostly without a status. */
export function computeError(
  code: number,
  {
    reason,
    domain = 'global',
    status,
  }: { readonly reason: string; readonly domain?: string; readonly status?: string },
  message: string,
): LabResponse {
  return json(code, { error: { code, message, errors: [{ message, domain, reason }], ...(status && { status }) } });
}

/** In the form of OAuth: RFC 6749, section 5.2. */
export function oauthError(status: number, error: string, description: string): LabResponse {
  return json(status, { error, error_description: description });
}

export function json(status: number, body: object): LabResponse {
  const headers = { 'content-type': 'application/json; charset=UTF-8', server: 'ESF', 'cache-control': 'private' };
  return { status, headers, body: JSON.stringify(body) };
}

/** A host name that is not the service's is answered as a server with that name's certificate alone would. */
export function wrongHostResponse(host: string, service: string): LabResponse | undefined {
  if (loopback.test(host) || host.replace(/:443$/, '').startsWith(`${service}.`)) return undefined;
  return { status: 421, headers: {}, body: `${host} is not ${service}` };
}

const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;
