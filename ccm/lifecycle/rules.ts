import { describeCanary, isCanaryGood } from './canary.ts';
import type { ObservedLookup, Observation } from './observation.ts';
import { permissionOf } from './permission.ts';
import type { NodeRecord } from './record.ts';
import type { GoneStatus } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';
import { requiredEvidence } from './sightings.ts';

/** A report that an instance is gone, with everything that decides whether it counts. */
export interface RuleInput {
  readonly observation: Observation;
  readonly lookup: ObservedLookup;
  readonly status: GoneStatus;
  /** For deletion rules with this sighting counted, for sighting rules without. */
  readonly record: NodeRecord;
  readonly settings: LifecycleSettings;
  readonly nowMs: number;
}

export interface LifecycleRule {
  readonly name: string;
  /** The requirement, for people. */
  readonly requires: string;
  holds(evidence: RuleInput): boolean;
  /** The present state, for people. */
  actual(evidence: RuleInput): string;
}

/** When a look-up counts as a sighting. */
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
    requires: 'the same look-up found a Ready node of the scope, or access to the scope was verified if none is left',
    holds: ({ lookup }) => isCanaryGood(lookup.canary),
    actual: ({ lookup }) => describeCanary(lookup.canary),
  },
  {
    name: 'asked-since',
    requires: 'the look-up began after the last sign of life of the instance',
    holds: ({ lookup, record, nowMs }) => lookup.askedAtMs >= record.silentSinceMs && lookup.askedAtMs <= nowMs,
    actual: ({ lookup, record, nowMs }) =>
      `the look-up began ${seconds(nowMs - lookup.askedAtMs)} s ago, silent for ${seconds(nowMs - record.silentSinceMs)} s`,
  },
];

/** A deletion needs every rule of both lists. */
export const deletionRules: readonly LifecycleRule[] = [
  {
    name: 'not-being-deleted',
    requires: 'the Node is not being deleted already',
    holds: ({ observation }) => !observation.beingDeleted,
    actual: ({ observation }) => (observation.beingDeleted ? 'it is being deleted' : 'it is not'),
  },
  {
    name: 'sightings',
    requires: 'the cloud reported it often enough',
    holds: (input) => countOf(input) >= requiredEvidence(input.status, input.settings).sightings,
    actual: describeSightings,
  },
  {
    name: 'span',
    requires: 'the cloud reported it for long enough',
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
    requires: 'the scope allows the deletion',
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

/** From the first response to the last request: only between these two it is certain that time has passed. */
function spanMsOf({ record, status, lookup }: RuleInput): number {
  return lookup.askedAtMs - (record.sightings[status]?.firstAtMs ?? Number.POSITIVE_INFINITY);
}

function seconds(durationMs: number): number {
  return Math.floor(durationMs / 100) / 10;
}
