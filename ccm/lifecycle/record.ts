import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import type { Observation } from './observation.ts';
import type { ReportKind } from './report.ts';
import type { GoneStatus } from './result-kinds.ts';

/** The memory of one Node. It is not stored: after a restart every count begins at 0. */
export interface NodeRecord {
  readonly uid: NodeUid;
  readonly providerId?: string;
  /** Since then the Node was not Ready and its instance not found. Look-ups that began earlier prove nothing. */
  readonly silentSinceMs: number;
  readonly lastAtMs: number;
  /** Each status is counted separately: neither contradicts the other, and neither proves what the other does. */
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
