import type { NodeRecord, Sightings } from './record.ts';
import type { GoneStatus } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';

/** How often a status has to be reported, and over what time. */
export interface GoneEvidence {
  readonly sightings: number;
  readonly spanMs: number;
}

export function requiredEvidence(status: GoneStatus, settings: LifecycleSettings): GoneEvidence {
  const required: Readonly<Record<GoneStatus, GoneEvidence>> = {
    terminated: { sightings: settings.terminatedSightings, spanMs: settings.sightingsApartMs },
    'not-found': { sightings: settings.notFoundSightings, spanMs: settings.notFoundSpanMs },
  };
  return required[status];
}

export interface Sighting {
  readonly status: GoneStatus;
  readonly askedAtMs: number;
  readonly answeredAtMs: number;
}

/** A request too soon after the last response is the same sighting. */
export function addSighting(record: NodeRecord, sighting: Sighting, settings: LifecycleSettings): NodeRecord {
  const { status, askedAtMs, answeredAtMs } = sighting;
  const before = record.sightings[status];
  if (before !== undefined && askedAtMs - before.lastAtMs < settings.sightingsApartMs) return record;
  const after: Sightings = {
    count: (before?.count ?? 0) + 1,
    firstAtMs: before?.firstAtMs ?? answeredAtMs,
    lastAtMs: answeredAtMs,
  };
  return { ...record, sightings: { ...record.sightings, [status]: after } };
}
