import type { Agent } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import { classifyNetworkError } from './classify-error.ts';
import { exchange } from './exchange.ts';
import type { Http, HttpRequest, HttpResponse } from './http.ts';
import { NetworkError } from './network-error.ts';
import { proxyFor } from './proxy.ts';
import type { ProxyVariables } from './proxy.ts';
import { keepWarm } from './warm-connections.ts';
import type { WarmConnections } from './warm-connections.ts';

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
  const connections: Connections = { settings, agents: new Map(), warm: new Map() };
  return {
    send: (request, signal) => send(request, signal, connections),
    warm: (place) => warm(place, connections),
  };
}

interface Connections {
  readonly settings: HttpSettings;
  readonly agents: Map<string, Agent>;
  /** Those of the agents that go through no proxy. */
  readonly warm: Map<string, WarmConnections>;
}

async function send(request: HttpRequest, signal: AbortSignal, connections: Connections): Promise<HttpResponse> {
  const { settings } = connections;
  const proxy = request.route === 'proxied' ? proxyFor(request.url, settings.proxies) : undefined;
  const agent = agentFor(request.url, proxy, connections);
  const authorities = authoritiesFor(request, settings);
  if (authorities !== undefined) return exchange(request, { agent, authorities }, signal);
  try {
    return await exchange(request, { agent }, signal);
  } catch (error) {
    // Nothing was sent yet: the handshake failed before the request.
    if (!(error instanceof NetworkError) || error.reason !== 'untrusted') throw error;
    return exchange(request, { agent, authorities: settings.allAuthorities() }, signal);
  }
}

function warm(place: Pick<HttpRequest, 'url' | 'trustOnly'>, connections: Connections): void {
  const { url } = place;
  const { settings } = connections;
  // A tunnel is the proxy's to give, and it counts them.
  if (proxyFor(url, settings.proxies) !== undefined) return;
  const agent = agentFor(url, undefined, connections);
  const kept = connections.warm.get(url.protocol) ?? keepWarm(agent);
  connections.warm.set(url.protocol, kept);
  kept.open(url, authoritiesFor(place, settings));
}

function authoritiesFor(
  { trustOnly }: Pick<HttpRequest, 'trustOnly'>,
  { authorities }: HttpSettings,
): readonly string[] | undefined {
  return trustOnly === undefined ? authorities : [trustOnly];
}

function agentFor({ protocol }: URL, proxy: string | undefined, { agents }: Connections): Agent {
  const key = `${protocol} ${proxy ?? ''}`;
  const agent = agents.get(key) ?? newAgent(protocol, proxy);
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
