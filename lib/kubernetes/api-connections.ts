import { createSecureContext } from 'node:tls';
import { Failure } from '../failure.ts';
import { Agent } from '../http/agent.ts';
import { createResolver } from '../http/resolve.ts';
import type { Resolve } from '../http/resolve.ts';
import { sameConnection, sameServer } from './access/cluster-access.ts';
import type { ApiServerTarget } from './access/cluster-access.ts';

/** Kept connections to the API server; as many at once as there are requests, since the caller bounds these. */
export interface ApiConnections {
  /** Once trust or client certificate have changed, requests go over new connections. */
  agentFor(target: ApiServerTarget): Agent;
  close(): void;
}

/** A burst's connections are given back when nobody has used them for this long. */
const idleLimits = { longestIdleMs: 60_000, maxIdleConnections: 64 };

export function createApiConnections(): ApiConnections {
  const resolve = createResolver();
  let current: { readonly target: ApiServerTarget; readonly agent: Agent } | undefined;
  let retired: readonly Agent[] = [];
  return {
    agentFor: (target) => {
      if (current !== undefined && sameConnection(current.target, target)) return current.agent;
      try {
        const agent = newAgent(target, resolve);
        current?.agent.retire();
        retired = [...retired, ...(current === undefined ? [] : [current.agent])].filter((each) => each.isInUse());
        current = { target, agent };
      } catch (error) {
        // Certificate and key are two files, and one may be replaced before the other: the next request looks again.
        if (current === undefined || !sameServer(current.target, target)) throw unusable(error);
      }
      return current.agent;
    },
    close: () => {
      for (const agent of retired) agent.destroy();
      current?.agent.destroy();
    },
  };
}

/** The context is made once here, not for each connection: reading certificates is most of what a handshake costs us. */
function newAgent({ server, serverName, authorities, client }: ApiServerTarget, resolve: Resolve): Agent {
  const httpTarget = { url: server, proxy: undefined };
  if (server.protocol !== 'https:') return new Agent(httpTarget, { ...idleLimits, resolve });
  const secureContext = createSecureContext({
    minVersion: 'TLSv1.2',
    ...(authorities !== undefined && { ca: authorities }),
    ...(client !== undefined && { cert: client.certificate, key: client.key.reveal() }),
  });
  return new Agent(
    { ...httpTarget, secureContext, ...(serverName !== undefined && { serverName }) },
    { ...idleLimits, resolve },
  );
}

/** OpenSSL's own words can quote what it was given, so only its code is kept. */
function unusable(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new Failure('misconfigured', `the client certificate, its key or the authorities are unusable (${code})`, {
    remedy: "check the kubeconfig's certificates",
  });
}
