import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import type { Observation } from './observation.ts';
import type { ReportKind } from './report.ts';
import type { GoneStatus } from './result-kinds.ts';

/** What is remembered of one Node. It lives in memory: after a restart everyone begins anew. */
export interface NodeRecord {
  readonly uid: NodeUid;
  readonly providerId?: string;
  /** Since then nothing has spoken for the instance: not Ready, not found. Questions asked earlier prove nothing. */
  readonly silentSinceMs: number;
  readonly lastAtMs: number;
  /** Each word is counted for itself: neither contradicts the other, neither proves what the other does. */
  readonly sightings: Readonly<Partial<Record<GoneStatus, Sightings>>>;
  readonly result?: LookupResult;
  readonly reported?: ReportKind;
}

export interface Sightings {
  readonly count: number;
  /** When the first and the last of them were answered. */
  readonly firstAtMs: number;
  readonly lastAtMs: number;
}

export function createNodeRecord(observation: Observation, nowMs: number): NodeRecord {
  const { uid, providerId, reported } = observation;
  return {
    uid,
    ...(providerId !== undefined && { providerId }),
    silentSinceMs: nowMs,
    lastAtMs: nowMs,
    sightings: {},
    ...(reported !== undefined && { reported }),
  };
}
