import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createSecureContext } from 'node:tls';
import { Failure } from '../failure.ts';
import { openSocket } from '../http/open-socket.ts';
import type { Opening, Place } from '../http/open-socket.ts';
import { createResolver } from '../http/resolve.ts';
import type { Resolve } from '../http/resolve.ts';
import { sameConnection } from './access/access.ts';
import type { Target } from './access/access.ts';

/** Kept connections to the API server; as many at once as there are requests, since the caller bounds these. */
export interface Connections {
  /** Once trust or client certificate have changed, requests go over new connections. */
  open(target: Target, path: string, options: RequestOptions): Opened;
  close(): void;
}

export interface Opened {
  readonly request: ClientRequest;
  /** Absent: it goes over a connection that was kept. */
  readonly opening: Opening | undefined;
}

/** A peer that went without a word: probes begin after this much silence and take 10 s. */
const probeAfterMs = 15_000;
/** A burst's connections are given back when nobody has used them for this long. */
const longestIdleMs = 60_000;
const mostIdle = 64;

export function createConnections(): Connections {
  const resolve = createResolver();
  const underWay = new Set<Opening>();
  let current: { readonly target: Target; readonly agent: HttpAgent } | undefined;
  const agentFor = (target: Target): HttpAgent => {
    if (current !== undefined && sameConnection(current.target, target)) return current.agent;
    try {
      const agent = newAgent(target, resolve);
      if (current !== undefined) retire(current.agent);
      current = { target, agent };
    } catch (error) {
      // Certificate and key are two files, and one may be replaced before the other: the next request looks again.
      if (current === undefined) throw unusable(error);
    }
    return current.agent;
  };
  return {
    open: (target, path, options) => {
      const agent = agentFor(target);
      const url = new URL(`${target.server.href.replace(/\/$/, '')}${path}`);
      const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
      let opening: Opening | undefined;
      const onOpening = (begun: Opening): void => {
        opening = begun;
        underWay.add(begun);
        const forget = (): void => void underWay.delete(begun);
        begun.socket.then(forget, forget);
      };
      const extended: OwnOptions = { ...options, agent, onOpening };
      return { request: request(url, extended), opening };
    },
    close: () => {
      current?.agent.destroy();
      for (const opening of underWay) opening.abandon();
    },
  };
}

/** The context is made once here, not for each connection: reading certificates is most of what a handshake costs us. */
function newAgent({ server, serverName, authorities, client }: Target, resolve: Resolve): HttpAgent {
  const options = { keepAlive: true, timeout: longestIdleMs, maxFreeSockets: mostIdle };
  if (server.protocol !== 'https:') {
    return withOwnSockets(new HttpAgent(options), { url: server, proxy: undefined }, resolve);
  }
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(authorities !== undefined && { ca: authorities }),
    ...(client !== undefined && { cert: client.certificate, key: client.key.reveal() }),
  });
  const place = { url: server, proxy: undefined, secureContext, ...(serverName !== undefined && { serverName }) };
  return withOwnSockets(new HttpsAgent(options), place, resolve);
}

/** The agent hands all options of a request on. */
interface OwnOptions extends RequestOptions {
  readonly onOpening?: (opening: Opening) => void;
}

/** Its connections are opened as all of ours: DNS with a limit of its own, several addresses side by side, our name check. */
function withOwnSockets(agent: HttpAgent, place: Place, resolve: Resolve): HttpAgent {
  agent.createConnection = ({ onOpening }: OwnOptions, callback) => {
    const opening = openSocket(place, resolve);
    onOpening?.(opening);
    handOver(opening, callback).catch(() => {});
    return undefined;
  };
  return agent;
}

type Callback = Parameters<HttpAgent['createConnection']>[1];

async function handOver({ socket }: Opening, callback: Callback): Promise<void> {
  try {
    const open = await socket;
    callback?.(null, open.setKeepAlive(true, probeAfterMs));
  } catch (error) {
    callback?.(error as Error, undefined as never);
  }
}

/** What is under way ends by itself. */
function retire(agent: HttpAgent): void {
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

/** OpenSSL's own words can quote what it was given, so only its code is kept. */
function unusable(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new Failure('misconfigured', `the client certificate, its key or the authorities are unusable (${code})`, {
    remedy: "check the kubeconfig's certificates",
  });
}
