import type { IncomingMessage } from 'node:http';
import type { Agent } from './agent.ts';
import { createAgentPool } from './agent-pool.ts';
import { exchange } from './exchange.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { NetworkError } from './network-error.ts';
import type { HttpTarget } from './open-socket.ts';
import { proxyFor } from './proxy.ts';
import type { ProxyVariables } from './proxy.ts';
import { readBody } from './read-body.ts';

export interface HttpSettings {
  readonly proxies: ProxyVariables;
  /** PEM certificates to trust instead of those that OpenSSL finds (trust.ts). */
  readonly authorities?: readonly string[];
  /** Called when OpenSSL finds no issuer: the same trust, read in full. */
  readonly allAuthorities: () => readonly string[];
}

/** Implements `Http` with Node's client. Connections are kept: a metadata service gets several requests in a row. */
export function createHttp(settings: HttpSettings): Http {
  const agentPool = createAgentPool();
  return {
    send: async (request, signal) => {
      const target = targetOf(request, settings);
      try {
        return await send(request, await agentPool.agentFor(target), signal);
      } catch (error) {
        // Nothing was sent: the handshake failed before the request.
        const isUntrusted = error instanceof NetworkError && error.reason === 'untrusted';
        if (!isUntrusted || target.authorities !== undefined) throw error;
        return send(request, await agentPool.agentFor({ ...target, authorities: settings.allAuthorities() }), signal);
      }
    },
    preconnect: (target) => {
      // A proxy may limit the number of its tunnels.
      if (proxyFor(target.url, settings.proxies) !== undefined) return;
      agentPool.preconnect(targetOf({ ...target, route: 'direct' }, settings));
    },
  };
}

type TargetOptions = Pick<HttpRequest, 'url' | 'zone' | 'route' | 'trustOnly' | 'certificatePin'>;

function targetOf(
  { url, zone, route, trustOnly, certificatePin }: TargetOptions,
  { proxies, authorities }: HttpSettings,
): HttpTarget {
  const proxy = route === 'proxied' ? proxyFor(url, proxies) : undefined;
  return {
    url,
    ...(zone !== undefined && { zone }),
    proxy: proxy === undefined ? undefined : proxyAddress(proxy),
    authorities: trustOnly === undefined ? authorities : [trustOnly],
    certificatePin,
  };
}

/** The URL may contain a password, so no message quotes it. */
function proxyAddress(proxy: string): URL {
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new NetworkError('proxy', 'its address is not http or https');
}

function send(request: HttpRequest, agent: Agent, signal: AbortSignal): Promise<HttpResponse> {
  const { url, method, headers, body, limits, repeatable = method === 'GET' } = request;
  const path = `${url.pathname}${url.search}`;
  return exchange(agent, { method, path, headers, body, limits, repeatable }, signal, (response) =>
    readResponse(response, limits.bodyBytes),
  );
}

/** Callers that read longer lists pass their own limit. */
const defaultBodyBytes = 1_000_000;

async function readResponse(response: IncomingMessage, bodyBytes: number | undefined): Promise<HttpResponse> {
  const { statusCode = 0, headersDistinct } = response;
  const body = await readBody(response, bodyBytes ?? defaultBodyBytes);
  const headers = Object.entries(headersDistinct).map(([name, values = []]) => [name, values.join(', ')] as const);
  return { status: statusCode, headers: Object.fromEntries(headers), body };
}
