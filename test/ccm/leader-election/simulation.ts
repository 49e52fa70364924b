import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { randomConditions, goodConditions, overFaultyNetwork } from './faulty-network.ts';
import type { NetworkConditions } from './faulty-network.ts';
import { createLeaseServer } from './lease-server.ts';
import type { LeaseServer, LeaseServerOptions } from './lease-server.ts';
import { createProcessClock } from './process-clock.ts';
import type { ProcessClock } from './process-clock.ts';
import { startTestCandidate, workUntilAborted, defaultTimes } from './harness.ts';
import type { TestCandidate } from './harness.ts';

export interface SimulationResult {
  /** What must never be. */
  readonly violations: readonly string[];
  /** Terms of leading, to see that there was something to see. */
  readonly terms: number;
}

const candidateCount = 3;
const steps = 40;
const sliceMs = 100;
/** Clocks differ by up to 2 in 100 from each other, far more than those of real machines. */
const rates = [0.99, 1, 1.01];
const rateErrorMs = defaultTimes.leaseDurationMs * 0.02;

/** One run of chance: the same label gives the same run. */
export async function simulate(label: string, options: LeaseServerOptions): Promise<SimulationResult> {
  const random = createRandom(label);
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const simulation: Simulation = {
    random,
    clock,
    server: createLeaseServer(options),
    conditions: goodConditions,
    candidates: [],
    ended: [],
  };
  const violations: string[] = [];
  for (let index = 0; index < candidateCount; index += 1) simulation.candidates.push(addCandidate(simulation));
  for (let step = 0; step < steps; step += 1) {
    applyRandomEvent(simulation);
    await advance(simulation, random.between(0, 6_000), violations);
  }
  simulation.conditions = goodConditions;
  for (const player of simulation.candidates) player.clock.resume();
  await advance(simulation, 60_000, violations);
  const leaders = simulation.candidates.filter(({ candidate }) => candidate.mayWrite()).length;
  if (leaders !== 1) violations.push(`${leaders} lead when all is well again`);
  for (const player of simulation.candidates) player.candidate.stop();
  await clock.advance(10_000);
  return {
    violations,
    terms: [...simulation.candidates, ...simulation.ended].reduce((sum, { candidate }) => sum + candidate.terms(), 0),
  };
}

interface SimulatedCandidate {
  readonly candidate: TestCandidate;
  readonly clock: ProcessClock;
  /** When it was last seen to be allowed to write; what it wrote then may still be under way. */
  wroteAtMs: number;
}

interface Simulation {
  readonly random: Random;
  readonly clock: FakeClock;
  readonly server: LeaseServer;
  conditions: NetworkConditions;
  readonly candidates: SimulatedCandidate[];
  /** Candidates that were killed or stopped. */
  readonly ended: SimulatedCandidate[];
}

function addCandidate(simulation: Simulation): SimulatedCandidate {
  const { random, server } = simulation;
  const clock = createProcessClock(simulation.clock, random.pick(rates), random.between(0, 1_000_000));
  const identity = `host_${simulation.candidates.length + simulation.ended.length}_${random.next()}`;
  const conditions = (): NetworkConditions => simulation.conditions;
  const store = overFaultyNetwork({ server, clock: simulation.clock, process: clock, random, conditions });
  const times = defaultTimes;
  const candidate = startTestCandidate({ identity, store, clock, times, random: random.next, work: workUntilAborted });
  return { candidate, clock, wroteAtMs: -Infinity };
}

function applyRandomEvent(simulation: Simulation): void {
  const { random } = simulation;
  const player = random.pick(simulation.candidates);
  const replace = (): void => {
    simulation.ended.push(player);
    simulation.candidates.splice(simulation.candidates.indexOf(player), 1, addCandidate(simulation));
  };
  const events: readonly (readonly [weight: number, event: () => void])[] = [
    [4, () => {}],
    [4, () => (simulation.conditions = randomConditions(random))],
    [3, () => (simulation.conditions = goodConditions)],
    [3, () => player.clock.pause()],
    [3, () => player.clock.resume()],
    [1, () => player.clock.setWall(random.between(-3_600_000, 3_600_000))],
    [
      2,
      () => {
        player.clock.resume();
        player.candidate.stop();
        replace();
      },
    ],
    [
      1,
      () => {
        player.clock.pause();
        replace();
      },
    ],
  ];
  random.pickWeighted(events)();
}

/** In slices, so that no leader is missed. */
async function advance(simulation: Simulation, durationMs: number, violations: string[]): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += sliceMs) {
    await simulation.clock.advance(sliceMs);
    checkWriters(simulation, violations);
  }
}

function checkWriters({ clock, candidates, ended }: Simulation, violations: string[]): void {
  const nowMs = clock.monotonicMs();
  const all = [...candidates, ...ended];
  const writers = all.filter(({ candidate }) => candidate.mayWrite());
  if (writers.length > 1) violations.push(`at ${nowMs} ms ${writers.length} may write`);
  for (const player of all) {
    if (writers.includes(player)) player.wroteAtMs = nowMs;
    // A candidate that has ended has no request under way.
    else if (player.candidate.outcome() !== undefined) player.wroteAtMs = -Infinity;
  }
  const maxWriteMs = defaultTimes.leaseDurationMs - defaultTimes.renewDeadlineMs - rateErrorMs;
  const isUnderWay = (player: SimulatedCandidate): boolean => player.wroteAtMs + maxWriteMs > nowMs;
  const late = all.filter((player) => !writers.includes(player) && isUnderWay(player) && !isEnded(player));
  if (writers.length > 0 && late.length > 0) violations.push(`at ${nowMs} ms a write may still be under way`);
}

/** It gave the lease back, which it does when nothing is under way any more. */
function isEnded({ candidate }: SimulatedCandidate): boolean {
  return candidate.outcome() !== undefined;
}
