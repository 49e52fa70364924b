import type { CloudEntry } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Host } from '../../lib/host.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Log } from '../../lib/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { answerQuestion } from './answer-question.ts';
import type { Office } from './answer-question.ts';
import { followConfig } from './follow-config.ts';
import { keepLogins } from './logins/keep-logins.ts';
import type { Logins } from './logins/keep-logins.ts';
import { createMeasures } from './measures.ts';
import type { Counts } from './measures.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { listen } from './wire/listen.ts';

export interface BrokerSettings {
  readonly socketPath: string;
  readonly clouds: readonly CloudEntry[];
  /** Absent: pods' tokens are not checked here, and each gets only what itself has earned. */
  readonly clusterKeys?: ClusterKeys;
  readonly host: Host;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  openHttp(settings: HttpSettings): Http;
}

/** The plugin's own flow, kept warm behind a socket for the front end. */
export interface Broker {
  status(): BrokerStatus;
  /** Whoever waits is served by the full program. */
  stop(): Promise<void>;
}

export interface BrokerStatus {
  readonly socket: string;
  readonly requests: Counts;
  readonly logins: readonly KeptLogin[];
}

export interface KeptLogin {
  readonly registry: string;
  readonly identity: 'node' | 'pod';
  readonly expiresAt: string;
}

const refreshEveryMs = 30_000;

/** Throws a `Failure` when the socket cannot be had, or not for root alone. */
export async function startBroker(settings: BrokerSettings): Promise<Broker> {
  const { socketPath, clouds, clusterKeys, host, clock, random, log, metrics, openHttp } = settings;
  const ending = new AbortController();
  const measures = createMeasures(metrics, () => logins.list().length);
  const logins = keepLogins({ clock, random, events: measures });
  const office: Office = {
    clouds,
    host,
    clock,
    random,
    log,
    openHttp,
    logins,
    ...(clusterKeys !== undefined && { clusterKeys }),
    signal: ending.signal,
    readConfig: followConfig(host, logins.clear),
  };
  const listener = await listen(socketPath, async (text) => {
    const reply = await answerQuestion(text, office);
    measures.replied(reply.outcome);
    return reply;
  });
  const refreshing = refreshForEver(logins, clock, ending.signal);
  return {
    status: () => ({ socket: socketPath, requests: measures.counts(), logins: describe(logins) }),
    stop: async () => {
      ending.abort(new Error('the agent ends'));
      await listener.close();
      await refreshing;
    },
  };
}

async function refreshForEver(logins: Logins, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise: end, resolve } = Promise.withResolvers<'end'>();
  signal.addEventListener('abort', () => resolve('end'), { once: true });
  while (!signal.aborted) {
    const next = await Promise.race([clock.sleep(refreshEveryMs, signal).catch(() => 'end'), end]);
    if (next === 'end') return;
    await Promise.race([logins.refreshDue(), end]);
  }
}

function describe(logins: Logins): readonly KeptLogin[] {
  return logins.list().map(({ errand: { registry, identity }, expiresAtMs = 0 }) => ({
    registry,
    identity,
    expiresAt: new Date(expiresAtMs).toISOString(),
  }));
}
