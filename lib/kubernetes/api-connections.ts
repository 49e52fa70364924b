import { createSecureContext } from 'node:tls';
import { Failure } from '../failure.ts';
import { Agent } from '../http/agent.ts';
import { createResolver } from '../http/resolve.ts';
import type { Resolve } from '../http/resolve.ts';
import { sameConnection, sameServer } from './access/cluster-access.ts';
import type { ApiServerTarget } from './access/cluster-access.ts';

/** The connections to the API server. There are as many as requests at once, which the caller bounds. */
export interface ApiConnections {
  /** After a change of the authorities or the client certificate, requests use new connections. */
  agentFor(target: ApiServerTarget): Agent;
  close(): void;
}

/** Connections are closed when they have been idle for this long. */
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
        // Certificate and key are two files, and one may be replaced before the other. The next request reads them again.
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

/** The context is created once, not for each connection: parsing certificates is most of the cost of a handshake. */
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

/** OpenSSL's message can quote its input, so only its code is used. */
function unusable(error: unknown): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new Failure('misconfigured', `the client certificate, its key or the authorities are unusable (${code})`, {
    remedy: "check the kubeconfig's certificates",
  });
}
