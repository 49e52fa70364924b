import type { CloudEntry } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Host } from '../../lib/host.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { handleRequest } from './handle-request.ts';
import type { BrokerDeps } from './handle-request.ts';
import { createConfigReader } from './config-reader.ts';
import { createLoginCache } from './logins/login-cache.ts';
import type { LoginCache } from './logins/login-cache.ts';
import { createLoginSlots } from './logins/login-slots.ts';
import { createBrokerMetrics } from './metrics.ts';
import type { RequestCounts } from './metrics.ts';
import { repeat } from './repeat.ts';
import { shareHttp } from './share-http.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { maintainSocket } from './socket/maintain-socket.ts';

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
  /** Why no front end can reach it, for readiness; `undefined`: nothing is wrong. It is tried again without a restart. */
  socketProblem(): string | undefined;
  /** What only a restart can help, for liveness; `undefined`: nothing is wrong. */
  stuck(): string | undefined;
  /** Whoever waits is served by the full program. */
  stop(): Promise<void>;
}

export interface BrokerStatus {
  readonly socket: string;
  /** Why no front end can reach it; absent: it can. */
  readonly problem?: string;
  readonly requests: RequestCounts;
  readonly logins: readonly LoginStatus[];
}

export interface LoginStatus {
  readonly registry: string;
  readonly identity: 'node' | 'pod';
  readonly expiresAt: string;
}

const refreshEveryMs = 30_000;
const checkSocketEveryMs = 10_000;
/** Much longer than a refresh of several logins at a cloud that hangs. */
const longestQuietMs = 5 * 60_000;
const loginsAtOnce = 20;
/** For a turn among them. After that the full program asks by itself. */
const longestSlotWaitMs = 1_500;

/** Never rejects: where the socket cannot be had, it is tried again until it can. */
export async function startBroker(settings: BrokerSettings): Promise<Broker> {
  const { socketPath, clouds, clusterKeys, host, clock, random, log, metrics, openHttp } = settings;
  const ending = new AbortController();
  const { signal } = ending;
  const brokerMetrics = createBrokerMetrics(metrics, () => loginCache.list().length);
  const loginCache = createLoginCache({ clock, random, events: brokerMetrics });
  const deps: BrokerDeps = {
    clouds,
    host,
    clock,
    random,
    log,
    openHttp: shareHttp(openHttp),
    loginCache,
    slots: createLoginSlots({ atOnce: loginsAtOnce, longestWaitMs: longestSlotWaitMs, clock }),
    ...(clusterKeys !== undefined && { clusterKeys }),
    signal,
    readConfig: createConfigReader(host, clouds, loginCache.clear),
  };
  const socket = maintainSocket({
    socketPath,
    log,
    handleRequest: async (text) => {
      const response = await handleRequest(text, deps);
      brokerMetrics.responded(response.outcome);
      return response;
    },
  });
  await socket.check();
  const loops = [
    repeat({ name: 'refreshing logins', everyMs: refreshEveryMs, clock, run: loginCache.refreshDue }, signal),
    repeat({ name: 'looking after the socket', everyMs: checkSocketEveryMs, clock, run: socket.check }, signal),
  ];
  return {
    status: () => brokerStatus({ socketPath, problem: socket.problem(), requests: brokerMetrics.counts(), loginCache }),
    socketProblem: socket.problem,
    stuck: () => loops.find((loop) => loop.quietMs() > longestQuietMs)?.name,
    stop: async () => {
      ending.abort(new Error('the agent ends'));
      await Promise.all(loops.map((loop) => loop.ended));
      await socket.close();
    },
  };
}

interface BrokerState {
  readonly socketPath: string;
  readonly problem: string | undefined;
  readonly requests: RequestCounts;
  readonly loginCache: LoginCache;
}

function brokerStatus({ socketPath, problem, requests, loginCache }: BrokerState): BrokerStatus {
  return {
    socket: socketPath,
    ...(problem !== undefined && { problem }),
    requests,
    logins: loginCache.list().map(({ job: { registry, identity }, expiresAtMs = 0 }) => ({
      registry,
      identity,
      expiresAt: new Date(expiresAtMs).toISOString(),
    })),
  };
}
