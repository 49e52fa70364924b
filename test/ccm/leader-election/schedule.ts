import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { anyWeather, fairWeather, throughNetwork } from './bad-network.ts';
import type { Weather } from './bad-network.ts';
import { createLeaseServer } from './lease-server.ts';
import type { LeaseServer, LeaseServerOptions } from './lease-server.ts';
import { createOddClock } from './odd-clock.ts';
import type { OddClock } from './odd-clock.ts';
import { startActor, untilEnd, usualTimes } from './stage.ts';
import type { Actor } from './stage.ts';

export interface Played {
  /** What must never be. */
  readonly wrongs: readonly string[];
  /** Terms of leading, to see that there was something to see. */
  readonly terms: number;
}

const candidates = 3;
const steps = 40;
const sliceMs = 100;
/** Clocks differ by up to 2 in 100 from each other, far more than those of real machines. */
const rates = [0.99, 1, 1.01];
const rateErrorMs = usualTimes.leaseDurationMs * 0.02;

/** One run of chance: the same label gives the same run. */
export async function playSchedule(label: string, options: LeaseServerOptions): Promise<Played> {
  const random = createRandom(label);
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const world: World = {
    random,
    clock,
    server: createLeaseServer(options),
    weather: fairWeather,
    players: [],
    left: [],
  };
  const wrongs: string[] = [];
  for (let index = 0; index < candidates; index += 1) world.players.push(join(world));
  for (let step = 0; step < steps; step += 1) {
    happen(world);
    await pass(world, random.between(0, 6_000), wrongs);
  }
  world.weather = fairWeather;
  for (const player of world.players) player.clock.goOn();
  await pass(world, 60_000, wrongs);
  const leaders = world.players.filter(({ actor }) => actor.mayWrite()).length;
  if (leaders !== 1) wrongs.push(`${leaders} lead when all is well again`);
  for (const player of world.players) player.actor.stop();
  await clock.advance(10_000);
  return { wrongs, terms: [...world.players, ...world.left].reduce((sum, { actor }) => sum + actor.terms(), 0) };
}

interface Player {
  readonly actor: Actor;
  readonly clock: OddClock;
  /** When it was last seen to be allowed to write; what it wrote then may still be under way. */
  wroteAtMs: number;
}

interface World {
  readonly random: Random;
  readonly clock: FakeClock;
  readonly server: LeaseServer;
  weather: Weather;
  readonly players: Player[];
  /** Those who were killed or told to go. */
  readonly left: Player[];
}

function join(world: World): Player {
  const { random, server } = world;
  const clock = createOddClock(world.clock, random.pick(rates), random.between(0, 1_000_000));
  const identity = `host_${world.players.length + world.left.length}_${random.next()}`;
  const weather = (): Weather => world.weather;
  const store = throughNetwork({ server, clock: world.clock, process: clock, random, weather });
  const times = usualTimes;
  const actor = startActor({ identity, store, clock, times, random: random.next, work: untilEnd });
  return { actor, clock, wroteAtMs: -Infinity };
}

function happen(world: World): void {
  const { random } = world;
  const player = random.pick(world.players);
  const replace = (): void => {
    world.left.push(player);
    world.players.splice(world.players.indexOf(player), 1, join(world));
  };
  const events: readonly (readonly [weight: number, event: () => void])[] = [
    [4, () => {}],
    [4, () => (world.weather = anyWeather(random))],
    [3, () => (world.weather = fairWeather)],
    [3, () => player.clock.stop()],
    [3, () => player.clock.goOn()],
    [1, () => player.clock.setWall(random.between(-3_600_000, 3_600_000))],
    [
      2,
      () => {
        player.clock.goOn();
        player.actor.stop();
        replace();
      },
    ],
    [
      1,
      () => {
        player.clock.stop();
        replace();
      },
    ],
  ];
  random.weigh(events)();
}

/** In slices, so that nobody leads unseen. */
async function pass(world: World, durationMs: number, wrongs: string[]): Promise<void> {
  for (let passedMs = 0; passedMs < durationMs; passedMs += sliceMs) {
    await world.clock.advance(sliceMs);
    watch(world, wrongs);
  }
}

function watch({ clock, players, left }: World, wrongs: string[]): void {
  const nowMs = clock.monotonicMs();
  const everybody = [...players, ...left];
  const writers = everybody.filter(({ actor }) => actor.mayWrite());
  if (writers.length > 1) wrongs.push(`at ${nowMs} ms ${writers.length} may write`);
  for (const player of everybody) {
    if (writers.includes(player)) player.wroteAtMs = nowMs;
    // Whoever has ended its work and gone has nothing under way.
    else if (player.actor.outcome() !== undefined) player.wroteAtMs = -Infinity;
  }
  const longestWriteMs = usualTimes.leaseDurationMs - usualTimes.renewDeadlineMs - rateErrorMs;
  const isUnderWay = (player: Player): boolean => player.wroteAtMs + longestWriteMs > nowMs;
  const late = everybody.filter((player) => !writers.includes(player) && isUnderWay(player) && !isEnded(player));
  if (writers.length > 0 && late.length > 0) wrongs.push(`at ${nowMs} ms a write may still be under way`);
}

/** It gave the lease back, which it does when nothing is under way any more. */
function isEnded({ actor }: Player): boolean {
  return actor.outcome() !== undefined;
}
