import type { CloudEntry } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Host } from '../../lib/host.ts';
import type { Http } from '../../lib/http/http.ts';
import type { HttpSettings } from '../../lib/http/create-http.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Metrics } from '../../lib/metrics/metrics.ts';
import { answerQuestion } from './answer-question.ts';
import type { Office } from './answer-question.ts';
import { followConfig } from './follow-config.ts';
import { keepLogins } from './logins/keep-logins.ts';
import type { Logins } from './logins/keep-logins.ts';
import { createLoginSlots } from './logins/login-slots.ts';
import { createMeasures } from './measures.ts';
import type { Counts } from './measures.ts';
import { repeat } from './repeat.ts';
import { shareHttp } from './share-http.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { keepListening } from './wire/keep-listening.ts';

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
  readonly requests: Counts;
  readonly logins: readonly KeptLogin[];
}

export interface KeptLogin {
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
const longestTurnMs = 1_500;

/** Never rejects: where the socket cannot be had, it is tried again until it can. */
export async function startBroker(settings: BrokerSettings): Promise<Broker> {
  const { socketPath, clouds, clusterKeys, host, clock, random, log, metrics, openHttp } = settings;
  const ending = new AbortController();
  const { signal } = ending;
  const measures = createMeasures(metrics, () => logins.list().length);
  const logins = keepLogins({ clock, random, events: measures });
  const office: Office = {
    clouds,
    host,
    clock,
    random,
    log,
    openHttp: shareHttp(openHttp),
    logins,
    slots: createLoginSlots({ atOnce: loginsAtOnce, longestWaitMs: longestTurnMs, clock }),
    ...(clusterKeys !== undefined && { clusterKeys }),
    signal,
    readConfig: followConfig(host, logins.clear),
  };
  const socket = keepListening({
    socketPath,
    log,
    answer: async (text) => {
      const reply = await answerQuestion(text, office);
      measures.replied(reply.outcome);
      return reply;
    },
  });
  await socket.check();
  const loops = [
    repeat({ name: 'refreshing logins', everyMs: refreshEveryMs, clock, run: logins.refreshDue }, signal),
    repeat({ name: 'looking after the socket', everyMs: checkSocketEveryMs, clock, run: socket.check }, signal),
  ];
  return {
    status: () => describe({ socketPath, problem: socket.problem(), requests: measures.counts(), logins }),
    socketProblem: socket.problem,
    stuck: () => loops.find((loop) => loop.quietMs() > longestQuietMs)?.name,
    stop: async () => {
      ending.abort(new Error('the agent ends'));
      await Promise.all(loops.map((loop) => loop.ended));
      await socket.close();
    },
  };
}

interface Described {
  readonly socketPath: string;
  readonly problem: string | undefined;
  readonly requests: Counts;
  readonly logins: Logins;
}

function describe({ socketPath, problem, requests, logins }: Described): BrokerStatus {
  return {
    socket: socketPath,
    ...(problem !== undefined && { problem }),
    requests,
    logins: logins.list().map(({ errand: { registry, identity }, expiresAtMs = 0 }) => ({
      registry,
      identity,
      expiresAt: new Date(expiresAtMs).toISOString(),
    })),
  };
}
