import { describeCanary, isGood } from './canary.ts';
import type { Look, Observation } from './observation.ts';
import { permissionOf } from './permission.ts';
import type { GoneWord, NodeRecord } from './record.ts';
import type { LifecycleSettings } from './settings.ts';
import { proofOf } from './sightings.ts';

/** A cloud's word that an instance is gone, with all that decides on what it is worth. */
export interface Evidence {
  readonly observation: Observation;
  readonly look: Look;
  readonly word: GoneWord;
  /** Deletion is judged with this sighting counted, a sighting without. */
  readonly record: NodeRecord;
  readonly settings: LifecycleSettings;
  readonly nowMs: number;
}

export interface Rule {
  readonly name: string;
  /** What has to be so. */
  readonly requires: string;
  holds(evidence: Evidence): boolean;
  /** How it is. */
  stands(evidence: Evidence): string;
}

/** What makes a look-up a sighting. */
export const sightingRules: readonly Rule[] = [
  {
    name: 'known',
    requires: 'its instance was once known: a providerID, and no uninitialized taint',
    holds: ({ observation }) => (observation.providerId ?? '') !== '' && !observation.uninitialized,
    stands: ({ observation }) =>
      `providerID ${observation.providerId || 'not set'}, ${observation.uninitialized ? 'un' : ''}initialized`,
  },
  {
    name: 'not-ready',
    requires: 'the Node is not Ready',
    holds: ({ observation }) => !observation.ready,
    stands: ({ observation }) => `the Node is ${observation.ready ? '' : 'not '}Ready`,
  },
  {
    name: 'canary',
    requires: 'the same look-up found a Ready node of the scope, or the scope was vouched for where none is left',
    holds: ({ look }) => isGood(look.canary),
    stands: ({ look }) => describeCanary(look.canary),
  },
  {
    name: 'asked-since',
    requires: 'the cloud was asked after the instance last gave a sign of life',
    holds: ({ look, record, nowMs }) => look.askedAtMs >= record.silentSinceMs && look.askedAtMs <= nowMs,
    stands: ({ look, record, nowMs }) =>
      `asked ${seconds(nowMs - look.askedAtMs)} s ago, silent for ${seconds(nowMs - record.silentSinceMs)} s`,
  },
];

/** What a deletion takes besides: every rule of both lists. */
export const deletionRules: readonly Rule[] = [
  {
    name: 'not-being-deleted',
    requires: 'nobody has deleted the Node yet',
    holds: ({ observation }) => !observation.beingDeleted,
    stands: ({ observation }) => (observation.beingDeleted ? 'it is being deleted already' : 'nobody has'),
  },
  {
    name: 'sightings',
    requires: 'the cloud said so often enough',
    holds: (evidence) => countOf(evidence) >= proofOf(evidence.word, evidence.settings).sightings,
    stands: describeSightings,
  },
  {
    name: 'span',
    requires: 'the cloud said so for long enough',
    holds: (evidence) => spanMsOf(evidence) >= proofOf(evidence.word, evidence.settings).spanMs,
    stands: describeSightings,
  },
  {
    name: 'age',
    requires: 'the Node is old enough for its cloud to know the instance',
    holds: ({ word, observation, settings }) => word === 'terminated' || observation.ageMs > settings.notFoundMinAgeMs,
    stands: ({ word, observation, settings }) =>
      word === 'terminated'
        ? 'does not matter for terminated'
        : `the Node is ${seconds(observation.ageMs)} s old; more than ${seconds(settings.notFoundMinAgeMs)} s are needed`,
  },
  {
    name: 'permission',
    requires: 'the scope lets it go',
    holds: ({ look, observation, word, settings, nowMs }) =>
      permissionOf(look.scope, { uid: observation.uid, word }, settings, nowMs).given,
    stands: ({ look, observation, word, settings, nowMs }) =>
      permissionOf(look.scope, { uid: observation.uid, word }, settings, nowMs).reason,
  },
];

export function describeSightings(evidence: Evidence): string {
  const { sightings, spanMs } = proofOf(evidence.word, evidence.settings);
  const overMs = Math.max(0, spanMsOf(evidence));
  return `${evidence.word} seen ${countOf(evidence)} of ${sightings} times over ${seconds(overMs)} of ${seconds(spanMs)} s`;
}

function countOf({ record, word }: Evidence): number {
  return record.sightings[word]?.count ?? 0;
}

/** From the first answer to the last question: only between these two it is certain that time has passed. */
function spanMsOf({ record, word, look }: Evidence): number {
  return look.askedAtMs - (record.sightings[word]?.firstAtMs ?? Number.POSITIVE_INFINITY);
}

function seconds(durationMs: number): number {
  return Math.floor(durationMs / 100) / 10;
}
