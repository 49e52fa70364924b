import { permissionOf } from './permission.ts';
import type { RuleInput } from './rules.ts';
import { requiredEvidence } from './sightings.ts';

/**
 * How long until another look-up can help. The sightings that are missing are spread evenly. What has no time of its own,
 * like an operator's confirmation, is looked for as often as sightings are counted.
 */
export function nextLookupInMs(input: RuleInput): number {
  const { record, status, settings, nowMs } = input;
  const { sightings, spanMs } = requiredEvidence(status, settings);
  const previous = record.sightings[status];
  const missing = sightings - (previous?.count ?? 0);
  const spanLeftMs = previous === undefined ? 0 : previous.firstAtMs + spanMs - nowMs;
  const apartLeftMs = previous === undefined ? 0 : previous.lastAtMs + settings.sightingsApartMs - nowMs;
  const waitMs = Math.max(
    Math.ceil(spanLeftMs / Math.max(1, missing)),
    missing > 0 ? apartLeftMs : 0,
    missing > 1 ? 0 : allowedInMs(input),
  );
  return waitMs > 0 ? waitMs : settings.sightingsApartMs;
}

/** What only the last look-up has to wait for: the Node's age and its scope. */
function allowedInMs({ status, lookup, settings, observation, nowMs }: RuleInput): number {
  const ageLeftMs = status === 'not-found' ? settings.notFoundMinAgeMs + 1 - observation.ageMs : 0;
  const { retryInMs } = permissionOf(lookup.scope, { uid: observation.uid, status }, settings, nowMs);
  return Math.max(ageLeftMs, retryInMs ?? 0);
}
