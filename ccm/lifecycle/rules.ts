import { describeCanary, isCanaryGood } from './canary.ts';
import type { ObservedLookup, Observation } from './observation.ts';
import { permissionOf } from './permission.ts';
import type { NodeRecord } from './record.ts';
import type { GoneStatus } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';
import { requiredEvidence } from './sightings.ts';

/** A cloud's word that an instance is gone, with all that decides on what it is worth. */
export interface RuleInput {
  readonly observation: Observation;
  readonly lookup: ObservedLookup;
  readonly status: GoneStatus;
  /** Deletion is judged with this sighting counted, a sighting without. */
  readonly record: NodeRecord;
  readonly settings: LifecycleSettings;
  readonly nowMs: number;
}

export interface LifecycleRule {
  readonly name: string;
  /** What has to be so. */
  readonly requires: string;
  holds(evidence: RuleInput): boolean;
  /** How it is. */
  actual(evidence: RuleInput): string;
}

/** What makes a look-up a sighting. */
export const sightingRules: readonly LifecycleRule[] = [
  {
    name: 'known',
    requires: 'its instance was once known: a providerID, and no uninitialized taint',
    holds: ({ observation }) => (observation.providerId ?? '') !== '' && !observation.uninitialized,
    actual: ({ observation }) =>
      `providerID ${observation.providerId || 'not set'}, ${observation.uninitialized ? 'un' : ''}initialized`,
  },
  {
    name: 'not-ready',
    requires: 'the Node is not Ready',
    holds: ({ observation }) => !observation.ready,
    actual: ({ observation }) => `the Node is ${observation.ready ? '' : 'not '}Ready`,
  },
  {
    name: 'canary',
    requires: 'the same look-up found a Ready node of the scope, or the scope was vouched for where none is left',
    holds: ({ lookup }) => isCanaryGood(lookup.canary),
    actual: ({ lookup }) => describeCanary(lookup.canary),
  },
  {
    name: 'asked-since',
    requires: 'the cloud was asked after the instance last gave a sign of life',
    holds: ({ lookup, record, nowMs }) => lookup.askedAtMs >= record.silentSinceMs && lookup.askedAtMs <= nowMs,
    actual: ({ lookup, record, nowMs }) =>
      `asked ${seconds(nowMs - lookup.askedAtMs)} s ago, silent for ${seconds(nowMs - record.silentSinceMs)} s`,
  },
];

/** What a deletion takes besides: every rule of both lists. */
export const deletionRules: readonly LifecycleRule[] = [
  {
    name: 'not-being-deleted',
    requires: 'nobody has deleted the Node yet',
    holds: ({ observation }) => !observation.beingDeleted,
    actual: ({ observation }) => (observation.beingDeleted ? 'it is being deleted already' : 'nobody has'),
  },
  {
    name: 'sightings',
    requires: 'the cloud said so often enough',
    holds: (input) => countOf(input) >= requiredEvidence(input.status, input.settings).sightings,
    actual: describeSightings,
  },
  {
    name: 'span',
    requires: 'the cloud said so for long enough',
    holds: (input) => spanMsOf(input) >= requiredEvidence(input.status, input.settings).spanMs,
    actual: describeSightings,
  },
  {
    name: 'age',
    requires: 'the Node is old enough for its cloud to know the instance',
    holds: ({ status, observation, settings }) =>
      status === 'terminated' || observation.ageMs > settings.notFoundMinAgeMs,
    actual: ({ status, observation, settings }) =>
      status === 'terminated'
        ? 'does not matter for terminated'
        : `the Node is ${seconds(observation.ageMs)} s old; more than ${seconds(settings.notFoundMinAgeMs)} s are needed`,
  },
  {
    name: 'permission',
    requires: 'the scope lets it go',
    holds: ({ lookup, observation, status, settings, nowMs }) =>
      permissionOf(lookup.scope, { uid: observation.uid, status }, settings, nowMs).given,
    actual: ({ lookup, observation, status, settings, nowMs }) =>
      permissionOf(lookup.scope, { uid: observation.uid, status }, settings, nowMs).reason,
  },
];

export function describeSightings(input: RuleInput): string {
  const { sightings, spanMs } = requiredEvidence(input.status, input.settings);
  const overMs = Math.max(0, spanMsOf(input));
  return `${input.status} seen ${countOf(input)} of ${sightings} times over ${seconds(overMs)} of ${seconds(spanMs)} s`;
}

function countOf({ record, status }: RuleInput): number {
  return record.sightings[status]?.count ?? 0;
}

/** From the first answer to the last question: only between these two it is certain that time has passed. */
function spanMsOf({ record, status, lookup }: RuleInput): number {
  return lookup.askedAtMs - (record.sightings[status]?.firstAtMs ?? Number.POSITIVE_INFINITY);
}

function seconds(durationMs: number): number {
  return Math.floor(durationMs / 100) / 10;
}
