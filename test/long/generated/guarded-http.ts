import type { AutoClock } from '../../clocks/auto-clock.ts';
import type { Http, HttpRequest, HttpResponse } from '../../../lib/http/http.ts';
import { NetworkError } from '../../../lib/http/network-error.ts';
import type { GeneratedCase } from './generated-case.ts';
import { localServices, serviceAt } from './destinations.ts';
import { intendedHost } from './raw-servers.ts';
import type { RawServers } from './raw-servers.ts';

export interface GuardOptions {
  readonly generated: GeneratedCase;
  readonly servers: RawServers;
  readonly clock: AutoClock;
  /** Forbidden targets are recorded here, and the request is not sent. */
  readonly unexpectedRequests: string[];
}

/** Lets requests through to our servers only; production names lead to them too, where they are the right ones. */
export function guardHttp(http: Http, options: GuardOptions): Http {
  return {
    send: async (request, signal) => {
      const url = destinationOf(request, options);
      if (url !== undefined) return sendInTime(http, { ...request, url, headers: headersOf(request) }, options, signal);
      options.unexpectedRequests.push(`${request.route} ${request.url.origin}`);
      throw new NetworkError('unreachable', 'a stranger');
    },
    // A preconnection already shows the target of a later request; only that is checked.
    preconnect: ({ url }) => {
      if (destinationOf({ url, route: 'proxied' }, options) === undefined) {
        options.unexpectedRequests.push(`ahead ${url.origin}`);
      }
    },
  };
}

function headersOf({ url, headers }: HttpRequest): HttpRequest['headers'] {
  return { ...headers, [intendedHost]: url.host };
}

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost']);

function destinationOf(
  { url, route }: Pick<HttpRequest, 'url' | 'route'>,
  { generated, servers }: GuardOptions,
): URL | undefined {
  const { env } = generated;
  if (url.origin === servers.urls.stranger) return undefined;
  if (Object.values(servers.urls).includes(url.origin)) return url;
  const isNamed = Object.values(env).some((value) => value.startsWith(url.origin) || value === url.host);
  if (isNamed && loopback.has(url.hostname)) return url;
  const service = serviceAt(url, generated);
  if (service === undefined || (route === 'direct') !== localServices.has(service)) return undefined;
  return new URL(`${servers.urls[service]}${url.pathname}${url.search}`);
}

const shortLimitMs = 200;

/** If servers may stop responding, time limits end early, and the clock shows the time at which they would have ended. */
async function sendInTime(
  http: Http,
  request: HttpRequest,
  guard: GuardOptions,
  signal: AbortSignal,
): Promise<HttpResponse> {
  if (!guard.generated.mayHang) return http.send(request, signal);
  const { totalMs } = request.limits;
  const limits = { connectMs: shortLimitMs, totalMs: shortLimitMs };
  return http.send({ ...request, limits }, signal).catch((error: unknown) => {
    if (error instanceof NetworkError && error.reason === 'timeout') guard.clock.leap(totalMs - shortLimitMs);
    throw error;
  });
}
