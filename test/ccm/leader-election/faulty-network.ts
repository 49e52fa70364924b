import type { LeaseStore } from '../../../ccm/leader-election/lease-store.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../support/random.ts';
import type { ProcessClock } from './process-clock.ts';

/** What the way to the API server does to requests at the moment. */
export interface NetworkConditions {
  readonly slowestMs: number;
  readonly requestLost: number;
  readonly responseLost: number;
}

export const goodConditions: NetworkConditions = { slowestMs: 50, requestLost: 0, responseLost: 0 };

const allConditions: readonly NetworkConditions[] = [
  goodConditions,
  { slowestMs: 3_000, requestLost: 0, responseLost: 0 },
  // Requests arrive long after their sender has given up.
  { slowestMs: 30_000, requestLost: 0, responseLost: 0.2 },
  { slowestMs: 500, requestLost: 0.5, responseLost: 0 },
  { slowestMs: 500, requestLost: 0, responseLost: 0.5 },
  { slowestMs: 500, requestLost: 1, responseLost: 0 },
  { slowestMs: 500, requestLost: 0, responseLost: 1 },
];

export function randomConditions(random: Random): NetworkConditions {
  return random.pick(allConditions);
}

export interface FaultyNetworkParts {
  readonly server: LeaseStore;
  /** Of the network and the server: it knows nothing of processes that are stopped. */
  readonly clock: Clock;
  readonly process: ProcessClock;
  readonly random: Random;
  conditions(): NetworkConditions;
}

/** The server as one process reaches it. An aborted request may still be executed. */
export function overFaultyNetwork({ server, clock, process, random, conditions }: FaultyNetworkParts): LeaseStore {
  const delay = (): Promise<void> => clock.sleep(random.next() * conditions().slowestMs, neverAborted);
  const send = async <T>(run: () => Promise<T>): Promise<T> => {
    await delay();
    if (random.chance(conditions().requestLost)) throw new Error('connection refused');
    const response = await run();
    await delay();
    await process.untilRunning();
    if (random.chance(conditions().responseLost)) throw new Error('connection reset');
    return response;
  };
  return {
    read: () => send(() => server.read(neverAborted)),
    create: (spec) => send(() => server.create(spec, neverAborted)),
    update: (lease) => send(() => server.update(lease, neverAborted)),
  };
}

const neverAborted = new AbortController().signal;
