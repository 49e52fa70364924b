import type { Sightings } from '../../../ccm/lifecycle/record.ts';
import type { Alphabet } from './alphabets.ts';
import type { World } from './world.ts';

/**
 * Two worlds with the same key have the same future, for the function and for the specification: times are taken as
 * ages, ages beyond every limit are one, names that are no more are one. What is only told (reports, quotes) is left out.
 */
export function keyOf(world: World, alphabet: Alphabet): string {
  const { promise, clockGoesBackMs: backMs } = alphabet;
  // A limit can be missed again by as much as an answer is late or the clock goes back.
  const slackMs = alphabet.longestLagMs + backMs;
  const ageOf = (atMs: number, limitMs: number): number => Math.min(world.nowMs - atMs, limitMs + slackMs);
  const ages: Ages = {
    recent: (atMs) => Math.min(world.nowMs - atMs, backMs),
    alive: (atMs) => ageOf(atMs, 0) + (world.nowMs - atMs > slackMs ? 1 : 0),
    apart: (atMs) => ageOf(atMs, promise.sightingsApartMs),
    span: (atMs) => ageOf(atMs, promise.notFoundSpanMs),
    breaker: (atMs) => ageOf(atMs, promise.breakerWindowMs),
    pace: (atMs) => ageOf(atMs, promise.terminatedWindowMs),
  };
  const ageMs = Math.min(world.ageMs, promise.notFoundMinAgeMs + 1);
  return JSON.stringify([ageMs, world.behindMs, nodeKey(world, ages), scopeKey(world, ages), memoryKey(world, ages)]);
}

type Ages = Readonly<Record<'recent' | 'alive' | 'apart' | 'span' | 'breaker' | 'pace', (atMs: number) => number>>;

function nodeKey({ record, generation }: World, ages: Ages): unknown {
  if (record === undefined) return null;
  const seen = (sightings: Sightings | undefined, most: number, span: (atMs: number) => number): unknown =>
    sightings && [Math.min(sightings.count, most), span(sightings.firstAtMs), ages.apart(sightings.lastAtMs)];
  return [
    record.uid === `N${generation}`,
    ages.alive(record.silentSinceMs),
    ages.recent(record.lastAtMs),
    seen(record.sightings.terminated, 2, ages.apart),
    seen(record.sightings['not-found'], 3, ages.span),
  ];
}

function scopeKey({ scope, generation, oldWord, neighbourIsNode, memory }: World, ages: Ages): unknown {
  const missing = [...scope.missing].map(
    ([uid, { lastAtMs, isNode, confirmed }]) =>
      `${nameOf(uid, generation)} ${ages.breaker(lastAtMs)} ${isNode} ${confirmed}`,
  );
  const spendable = oldWord?.stops === scope.stops ? oldWord.nodes : [];
  return [
    neighbourIsNode,
    scope.open,
    ages.recent(scope.lastAtMs),
    tally(missing),
    tally(spendable.map((uid) => nameOf(uid, generation))),
    tally([...scope.terminated].map(([uid, atMs]) => `${nameOf(uid, generation)} ${ages.pace(atMs)}`)),
    oldWord?.stops === memory.stops,
    scope.stops === memory.stops,
  ];
}

function memoryKey({ memory, generation }: World, ages: Ages): unknown {
  const missing = [...memory.missingMs].map(
    ([uid, atMs]) =>
      `${nameOf(uid, generation)} ${ages.breaker(atMs)} ${memory.allowed.has(uid)} ${memory.stoppedFor.has(uid)}`,
  );
  return [
    memory.uid === `N${generation}`,
    ages.recent(memory.readingMs),
    ages.alive(memory.aliveMs),
    memory.terminatedMs.slice(0, 1).map(ages.apart),
    memory.notFoundMs.length,
    memory.notFoundMs.slice(0, 1).map(ages.span),
    tally(missing),
    tally([...memory.passesMs].map(([uid, atMs]) => `${nameOf(uid, generation)} ${ages.pace(atMs)}`)),
  ];
}

function nameOf(uid: string, generation: number): string {
  if (uid === `N${generation}`) return 'N';
  return uid === 'X' ? uid : 'former';
}

/** More than two of a kind are two: no limit of the explorations is higher. */
function tally(entries: readonly string[]): readonly string[] {
  if (entries.length < 2) return entries;
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(entry, Math.min(2, (counts.get(entry) ?? 0) + 1));
  return [...counts].map(([entry, count]) => `${entry} x${count}`).toSorted();
}
