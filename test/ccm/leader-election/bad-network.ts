import type { LeaseStore } from '../../../ccm/leader-election/lease-store.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Random } from '../../support/random.ts';
import type { OddClock } from './odd-clock.ts';

/** What the way to the API server does to requests at the moment. */
export interface Weather {
  readonly slowestMs: number;
  readonly requestLost: number;
  readonly answerLost: number;
}

export const fairWeather: Weather = { slowestMs: 50, requestLost: 0, answerLost: 0 };

const weathers: readonly Weather[] = [
  fairWeather,
  { slowestMs: 3_000, requestLost: 0, answerLost: 0 },
  // Requests arrive long after their sender has given up.
  { slowestMs: 30_000, requestLost: 0, answerLost: 0.2 },
  { slowestMs: 500, requestLost: 0.5, answerLost: 0 },
  { slowestMs: 500, requestLost: 0, answerLost: 0.5 },
  { slowestMs: 500, requestLost: 1, answerLost: 0 },
  { slowestMs: 500, requestLost: 0, answerLost: 1 },
];

export function anyWeather(random: Random): Weather {
  return random.pick(weathers);
}

export interface NetworkParts {
  readonly server: LeaseStore;
  /** Of the network and the server: it knows nothing of processes that are stopped. */
  readonly clock: Clock;
  readonly process: OddClock;
  readonly random: Random;
  weather(): Weather;
}

/** The server as one process has it. Whoever gives up is not asked whether the request is still to be carried out. */
export function throughNetwork({ server, clock, process, random, weather }: NetworkParts): LeaseStore {
  const travel = (): Promise<void> => clock.sleep(random.next() * weather().slowestMs, endless);
  const pass = async <T>(run: () => Promise<T>): Promise<T> => {
    await travel();
    if (random.chance(weather().requestLost)) throw new Error('connection refused');
    const answer = await run();
    await travel();
    await process.running();
    if (random.chance(weather().answerLost)) throw new Error('connection reset');
    return answer;
  };
  return {
    read: () => pass(() => server.read(endless)),
    create: (spec) => pass(() => server.create(spec, endless)),
    update: (lease) => pass(() => server.update(lease, endless)),
  };
}

const endless = new AbortController().signal;
