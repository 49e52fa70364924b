import type { Agent } from './agent.ts';
import { openAhead } from './opened-ahead.ts';
import type { OpenedAhead } from './opened-ahead.ts';
import { openSocket } from './open-socket.ts';
import type { Place } from './open-socket.ts';
import { createResolver } from './resolve.ts';

/** An agent for each place that is asked. */
export interface Agents {
  agentFor(place: Place): Promise<Agent>;
  /** Opens a connection for the next request, unless there is one already. Failures are the request's to find. */
  openAhead(place: Place): void;
}

/** Servers close what was idle for longer, and may do so at the moment of our next request. */
const settings = { longestIdleMs: 4_000, mostIdle: 256 };

interface Entry {
  agent?: Agent;
  ahead?: OpenedAhead;
}

export function createAgents(): Agents {
  const resolve = createResolver();
  const entries = new Map<string, Entry>();
  let loading: Promise<{ readonly Agent: typeof Agent }> | undefined;

  function entryOf({ url, proxy, authorities }: Place): Entry {
    const key = JSON.stringify([url.protocol, url.host, proxy?.href, authorities]);
    const entry = entries.get(key) ?? {};
    entries.set(key, entry);
    return entry;
  }

  return {
    agentFor: async (place) => {
      // Node's client takes milliseconds to load, which a start without network does not need.
      loading ??= import('./agent.ts');
      const loaded = await loading;
      const entry = entryOf(place);
      entry.agent ??= new loaded.Agent(place, { ...settings, resolve, takeAhead: () => entry.ahead?.take() });
      return entry.agent;
    },
    openAhead: (place) => {
      const entry = entryOf(place);
      if (entry.ahead?.isUsable() === true || entry.agent?.hasIdle() === true) return;
      // Not by the agent, so that a round trip is under way while Node's client is loaded.
      entry.ahead = openAhead(openSocket(place, resolve));
    },
  };
}
