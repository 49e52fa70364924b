import { setTimeout } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';

/** Something that goes wrong for a while. */
export interface ChaosFault {
  readonly name: string;
  begin(random: Random): Promise<void>;
  end(): Promise<void>;
}

export interface FaultSchedule {
  /** By what they are done to. Each group gets its turn in each round. */
  readonly groups: readonly (readonly ChaosFault[])[];
  readonly random: Random;
  readonly endsAtMs: number;
  readonly shortestMs: number;
  readonly longestMs: number;
  /** Between two faults. */
  readonly pauseMs: number;
}

/** One fault after the other, each for a random time. All are over at the end. Gives how often each came. */
export async function runFaults({
  groups,
  random,
  endsAtMs,
  ...times
}: FaultSchedule): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  let round: (readonly ChaosFault[])[] = [];
  const leftMs = (): number => Math.max(0, endsAtMs - performance.now());
  while (leftMs() > 0) {
    await setTimeout(Math.min(leftMs(), random.between(0, times.pauseMs)));
    if (round.length === 0) round = [...groups];
    const [group = []] = round.splice(random.between(0, round.length - 1), 1);
    const fault = random.pick(group);
    counts.set(fault.name, (counts.get(fault.name) ?? 0) + 1);
    try {
      await fault.begin(random);
      await setTimeout(Math.min(leftMs(), random.between(times.shortestMs, times.longestMs)));
    } finally {
      await fault.end();
    }
  }
  return counts;
}

/** What the test itself asks of an API server that may be away. */
export async function untilDone(work: () => Promise<unknown>): Promise<void> {
  const everyMs = 200;
  const triesMax = 300;
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (tries === triesMax) throw error;
      await setTimeout(everyMs);
    }
  }
}
