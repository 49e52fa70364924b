import type { CloudEntry } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Host } from '../../lib/host.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import type { NodeEvent } from '../../lib/node/node-event.ts';
import { createFailureReporter } from './failure-reporter.ts';
import { handleRequest } from './handle-request.ts';
import type { BrokerDeps } from './handle-request.ts';
import { createLoginCache } from './logins/login-cache.ts';
import type { LoginCache } from './logins/login-cache.ts';
import { createLoginSlots } from './logins/login-slots.ts';
import { createBrokerMetrics } from './metrics.ts';
import type { RequestCounts } from './metrics.ts';
import { repeat } from './repeat.ts';
import { createConfigReader, shareHttp } from './shared-inputs.ts';
import { createStartLogins } from './start-logins.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { maintainSocket } from './socket/maintain-socket.ts';
import type { BrokerPlace, MaintainedSocket } from './socket/maintain-socket.ts';

export interface BrokerSettings {
  readonly socketPath: string;
  readonly place: BrokerPlace;
  /** The credential provider's. Absent: at its usual path, if it exists. */
  readonly configFile?: string;
  readonly clouds: readonly CloudEntry[];
  /** Absent: tokens are not verified, and each token has only the logins that it earned itself. */
  readonly clusterKeys?: ClusterKeys;
  readonly host: Host;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: Metrics;
  openHttp(settings: HttpSettings): Http;
  /** Absent: failed logins are only logged. */
  writeEvent?(event: NodeEvent): Promise<void>;
}

/** The credential provider's login flow with a cache, behind a socket for the front end. */
export interface Broker {
  status(): BrokerStatus;
  /** Why front ends cannot reach it, for readiness; `undefined`: they can. It is retried without a restart. */
  socketProblem(): string | undefined;
  /** The loop that hangs and needs a restart, for liveness; `undefined`: none. */
  stuck(): string | undefined;
  /** The full program answers the requests that still wait. */
  stop(): Promise<void>;
}

export interface BrokerStatus {
  readonly socket: string;
  /** Why front ends cannot reach it; absent: they can. */
  readonly problem?: string;
  /** Present: front ends reach the broker of the host instead of this one. */
  readonly leftToHost?: true;
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
/** Much longer than it takes to refresh several logins while the cloud hangs. */
const longestQuietMs = 5 * 60_000;
const loginsAtOnce = 20;
/** For a slot. After that the full program answers. */
const longestSlotWaitMs = 1_500;

/** Never rejects: a socket that cannot be opened is retried until it can. */
export async function startBroker(settings: BrokerSettings): Promise<Broker> {
  const { socketPath, place, clouds, clusterKeys, host, clock, random, log, metrics, openHttp, writeEvent } = settings;
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
    readConfig: createConfigReader(settings.configFile, { host, clouds, onChange: loginCache.clear }),
    onLogin: brokerMetrics.loginEnded,
    onLoginFailure: createFailureReporter({ clock, log, ...(writeEvent && { writeEvent }) }),
  };
  const socket = maintainSocket({
    socketPath,
    place,
    log,
    handleRequest: async (text) => {
      const response = await handleRequest(text, deps);
      // An agent that only looks whether anything listens here sends nothing.
      if (text !== '') brokerMetrics.responded(response.outcome);
      return response;
    },
  });
  await socket.check();
  const startLogins = createStartLogins(deps);
  const logInAtStart = async (): Promise<void> => (socket.isLeftToHost() ? undefined : startLogins());
  const firstLogins = logInAtStart();
  const loops = [
    repeat({ name: 'logging in at start', everyMs: refreshEveryMs, clock, run: logInAtStart }, signal),
    repeat({ name: 'refreshing logins', everyMs: refreshEveryMs, clock, run: loginCache.refreshDue }, signal),
    repeat({ name: 'checking the socket', everyMs: checkSocketEveryMs, clock, run: socket.check }, signal),
  ];
  return {
    status: () => brokerStatus({ socketPath, socket, requests: brokerMetrics.counts(), loginCache }),
    socketProblem: socket.problem,
    stuck: () => loops.find((loop) => loop.quietMs() > longestQuietMs)?.name,
    stop: async () => {
      ending.abort(new Error('the broker ends'));
      await Promise.all([firstLogins, ...loops.map((loop) => loop.ended)]);
      await socket.close();
    },
  };
}

interface BrokerState {
  readonly socketPath: string;
  readonly socket: Pick<MaintainedSocket, 'problem' | 'isLeftToHost'>;
  readonly requests: RequestCounts;
  readonly loginCache: LoginCache;
}

function brokerStatus({ socketPath, socket, requests, loginCache }: BrokerState): BrokerStatus {
  const problem = socket.problem();
  return {
    socket: socketPath,
    ...(problem !== undefined && { problem }),
    ...(socket.isLeftToHost() && { leftToHost: true }),
    requests,
    logins: loginCache.list().map(({ job: { registry, identity }, expiresAtMs = 0 }) => ({
      registry,
      identity,
      expiresAt: new Date(expiresAtMs).toISOString(),
    })),
  };
}
