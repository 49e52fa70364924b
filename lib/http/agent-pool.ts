import type { Agent } from './agent.ts';
import { createPreconnection } from './preconnection.ts';
import type { Preconnection } from './preconnection.ts';
import { openSocket } from './open-socket.ts';
import type { HttpTarget } from './open-socket.ts';
import { createResolver } from './resolve.ts';

/** One agent for each target. */
export interface AgentPool {
  agentFor(target: HttpTarget): Promise<Agent>;
  /** Opens a connection for the next request, unless there is one already. The request reports failures, not this. */
  preconnect(target: HttpTarget): void;
}

/** Servers close connections that were idle for longer, possibly just when we send the next request. */
const settings = { longestIdleMs: 4_000, maxIdleConnections: 256 };

interface PoolEntry {
  agent?: Agent;
  preconnection?: Preconnection;
}

export function createAgentPool(): AgentPool {
  const resolve = createResolver();
  const entries = new Map<string, PoolEntry>();
  let loading: Promise<{ readonly Agent: typeof Agent }> | undefined;

  function entryOf({ url, zone, proxy, authorities, certificatePin }: HttpTarget): PoolEntry {
    const key = JSON.stringify([url.protocol, url.host, zone, proxy?.href, authorities, certificatePin]);
    const entry = entries.get(key) ?? {};
    entries.set(key, entry);
    return entry;
  }

  return {
    agentFor: async (target) => {
      // Loading Node's HTTP client takes milliseconds, and a start without network does not need it.
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
      // Not through the agent, so that the first round trip overlaps with loading Node's HTTP client.
      entry.preconnection = createPreconnection(openSocket(target, resolve));
    },
  };
}
