import type { Agent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { classifyNetworkError } from './classify-error.ts';
import { exchange } from './exchange.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { NetworkError } from './network-error.ts';
import { proxyFor } from './proxy.ts';
import type { ProxyVariables } from './proxy.ts';

export interface HttpSettings {
  readonly proxies: ProxyVariables;
  /** PEM certificates to trust instead of what OpenSSL finds by itself (trust.ts). */
  readonly authorities?: readonly string[];
  /** Asked when OpenSSL trusts nobody who signed: the same trust, read in full. */
  readonly allAuthorities: () => readonly string[];
}

/**
 * `Http` over node:http and node:https. Connections are kept and used again, since a metadata service is asked several
 * things in a row. Modules are loaded at the first request of their scheme: each costs milliseconds of start-up.
 */
export function createHttp(settings: HttpSettings): Http {
  const agents = new Map<string, Agent>();
  return { send: (request, signal) => send(request, signal, { settings, agents }) };
}

interface Connections {
  readonly settings: HttpSettings;
  readonly agents: Map<string, Agent>;
}

async function send(request: HttpRequest, signal: AbortSignal, connections: Connections): Promise<HttpResponse> {
  const { settings } = connections;
  const agent = agentFor(request, connections);
  const authorities = request.trustOnly === undefined ? settings.authorities : [request.trustOnly];
  if (authorities !== undefined) return exchange(request, { agent, authorities }, signal);
  try {
    return await exchange(request, { agent }, signal);
  } catch (error) {
    // Nothing was sent yet: the handshake failed before the request.
    if (!(error instanceof NetworkError) || error.reason !== 'untrusted') throw error;
    return exchange(request, { agent, authorities: settings.allAuthorities() }, signal);
  }
}

function agentFor(request: HttpRequest, { settings, agents }: Connections): Agent {
  const proxy = request.route === 'proxied' ? proxyFor(request.url, settings.proxies) : undefined;
  const key = `${request.url.protocol} ${proxy ?? ''}`;
  const agent = agents.get(key) ?? newAgent(request.url.protocol, proxy);
  agents.set(key, agent);
  return agent;
}

function newAgent(protocol: string, proxy: string | undefined): Agent {
  // Node would go past a proxy of another kind, straight to the target.
  if (proxy !== undefined && !/^https?:\/\//.test(proxy)) throw new NetworkError('proxy', 'it is not http or https');
  const proxyEnv = proxy !== undefined && { proxyEnv: { http_proxy: proxy, https_proxy: proxy } };
  const options = { keepAlive: true, ...proxyEnv };
  try {
    if (protocol !== 'https:') return new (process.getBuiltinModule('node:http').Agent)(options);
    return new (process.getBuiltinModule('node:https').Agent)(options) satisfies HttpsAgent;
  } catch (error) {
    throw classifyNetworkError(error);
  }
}
