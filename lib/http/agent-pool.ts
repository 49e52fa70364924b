import type { Agent } from './agent.ts';
import { createPreconnection } from './preconnection.ts';
import type { Preconnection } from './preconnection.ts';
import { openSocket } from './open-socket.ts';
import type { HttpTarget } from './open-socket.ts';
import { createResolver } from './resolve.ts';

/** An agent for each place that is asked. */
export interface AgentPool {
  agentFor(target: HttpTarget): Promise<Agent>;
  /** Opens a connection for the next request, unless there is one already. Failures are the request's to find. */
  preconnect(target: HttpTarget): void;
}

/** Servers close what was idle for longer, and may do so at the moment of our next request. */
const settings = { longestIdleMs: 4_000, maxIdleConnections: 256 };

interface PoolEntry {
  agent?: Agent;
  preconnection?: Preconnection;
}

export function createAgentPool(): AgentPool {
  const resolve = createResolver();
  const entries = new Map<string, PoolEntry>();
  let loading: Promise<{ readonly Agent: typeof Agent }> | undefined;

  function entryOf({ url, proxy, authorities }: HttpTarget): PoolEntry {
    const key = JSON.stringify([url.protocol, url.host, proxy?.href, authorities]);
    const entry = entries.get(key) ?? {};
    entries.set(key, entry);
    return entry;
  }

  return {
    agentFor: async (target) => {
      // Node's client takes milliseconds to load, which a start without network does not need.
      loading ??= import('./agent.ts');
      const loaded = await loading;
      const entry = entryOf(target);
      entry.agent ??= new loaded.Agent(target, {
        ...settings,
        resolve,
        takePreconnection: () => entry.preconnection?.take(),
      });
      return entry.agent;
    },
    preconnect: (target) => {
      const entry = entryOf(target);
      if (entry.preconnection?.isUsable() === true || entry.agent?.hasIdle() === true) return;
      // Not by the agent, so that a round trip is under way while Node's client is loaded.
      entry.preconnection = createPreconnection(openSocket(target, resolve));
    },
  };
}
