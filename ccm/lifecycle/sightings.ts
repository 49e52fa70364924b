import type { GoneWord, NodeRecord, Sightings } from './record.ts';
import type { LifecycleSettings } from './settings.ts';

/** How often a word has to be said, and over what time. */
export interface Proof {
  readonly sightings: number;
  readonly spanMs: number;
}

export function proofOf(word: GoneWord, settings: LifecycleSettings): Proof {
  const proofs: Readonly<Record<GoneWord, Proof>> = {
    terminated: { sightings: settings.terminatedSightings, spanMs: settings.sightingsApartMs },
    'not-found': { sightings: settings.notFoundSightings, spanMs: settings.notFoundSpanMs },
  };
  return proofs[word];
}

export interface Sighting {
  readonly word: GoneWord;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

/** What was asked too soon after the last answer is the same sighting. */
export function addSighting(record: NodeRecord, sighting: Sighting, settings: LifecycleSettings): NodeRecord {
  const { word, askedAtMs, answeredAtMs } = sighting;
  const before = record.sightings[word];
  if (before !== undefined && askedAtMs - before.lastAtMs < settings.sightingsApartMs) return record;
  const after: Sightings = {
    count: (before?.count ?? 0) + 1,
    firstAtMs: before?.firstAtMs ?? answeredAtMs,
    lastAtMs: answeredAtMs,
  };
  return { ...record, sightings: { ...record.sightings, [word]: after } };
}
