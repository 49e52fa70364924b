import type { Sightings } from '../../../ccm/lifecycle/record.ts';
import type { Alphabet } from './alphabets.ts';
import type { ModelState } from './model.ts';

/**
 * Two worlds with the same key have the same future, for the function and for the specification: times are taken as
 * ages, ages beyond every limit are one, names that are no more are one. What is only told (reports, quotes) is left out.
 */
export function keyOf(state: ModelState, alphabet: Alphabet): string {
  const { promised, clockGoesBackMs: backMs } = alphabet;
  // A limit can be missed again by as much as an answer is late or the clock goes back.
  const slackMs = alphabet.maxLagMs + backMs;
  const ageOf = (atMs: number, limitMs: number): number => Math.min(state.nowMs - atMs, limitMs + slackMs);
  const ages: Ages = {
    recent: (atMs) => Math.min(state.nowMs - atMs, backMs),
    alive: (atMs) => ageOf(atMs, 0) + (state.nowMs - atMs > slackMs ? 1 : 0),
    apart: (atMs) => ageOf(atMs, promised.sightingsApartMs),
    span: (atMs) => ageOf(atMs, promised.notFoundSpanMs),
    breaker: (atMs) => ageOf(atMs, promised.breakerWindowMs),
    pace: (atMs) => ageOf(atMs, promised.terminatedWindowMs),
  };
  const ageMs = Math.min(state.ageMs, promised.notFoundMinAgeMs + 1);
  return JSON.stringify([ageMs, state.behindMs, nodeKey(state, ages), scopeKey(state, ages), historyKey(state, ages)]);
}

type Ages = Readonly<Record<'recent' | 'alive' | 'apart' | 'span' | 'breaker' | 'pace', (atMs: number) => number>>;

function nodeKey({ record, generation }: ModelState, ages: Ages): unknown {
  if (record === undefined) return null;
  const sightingsKey = (sightings: Sightings | undefined, most: number, span: (atMs: number) => number): unknown =>
    sightings && [Math.min(sightings.count, most), span(sightings.firstAtMs), ages.apart(sightings.lastAtMs)];
  return [
    record.uid === `N${generation}`,
    ages.alive(record.silentSinceMs),
    ages.recent(record.lastAtMs),
    sightingsKey(record.sightings.terminated, 2, ages.apart),
    sightingsKey(record.sightings['not-found'], 3, ages.span),
  ];
}

function scopeKey({ scope, generation, oldConfirmation, neighbourIsNode, history }: ModelState, ages: Ages): unknown {
  const missing = [...scope.missing].map(
    ([uid, { lastAtMs, nodeExists, confirmed }]) =>
      `${nameOf(uid, generation)} ${ages.breaker(lastAtMs)} ${nodeExists} ${confirmed}`,
  );
  const spendable = oldConfirmation?.stopCount === scope.stopCount ? oldConfirmation.nodes : [];
  return [
    neighbourIsNode,
    scope.open,
    ages.recent(scope.lastAtMs),
    countByText(missing),
    countByText(spendable.map((uid) => nameOf(uid, generation))),
    countByText([...scope.terminated].map(([uid, atMs]) => `${nameOf(uid, generation)} ${ages.pace(atMs)}`)),
    oldConfirmation?.stopCount === history.stopCount,
    scope.stopCount === history.stopCount,
  ];
}

function historyKey({ history, generation }: ModelState, ages: Ages): unknown {
  const missing = [...history.missingMs].map(
    ([uid, atMs]) =>
      `${nameOf(uid, generation)} ${ages.breaker(atMs)} ${history.allowed.has(uid)} ${history.stoppedFor.has(uid)}`,
  );
  return [
    history.uid === `N${generation}`,
    ages.recent(history.readingMs),
    ages.alive(history.aliveMs),
    history.terminatedMs.slice(0, 1).map(ages.apart),
    history.notFoundMs.length,
    history.notFoundMs.slice(0, 1).map(ages.span),
    countByText(missing),
    countByText([...history.passesMs].map(([uid, atMs]) => `${nameOf(uid, generation)} ${ages.pace(atMs)}`)),
  ];
}

function nameOf(uid: string, generation: number): string {
  if (uid === `N${generation}`) return 'N';
  return uid === 'X' ? uid : 'former';
}

/** More than two of a kind are two: no limit of the explorations is higher. */
function countByText(entries: readonly string[]): readonly string[] {
  if (entries.length < 2) return entries;
  const counts = new Map<string, number>();
  for (const entry of entries) counts.set(entry, Math.min(2, (counts.get(entry) ?? 0) + 1));
  return [...counts].map(([entry, count]) => `${entry} x${count}`).toSorted();
}
