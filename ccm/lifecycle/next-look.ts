import { permissionOf } from './permission.ts';
import type { Evidence } from './rules.ts';
import { proofOf } from './sightings.ts';

/**
 * How long until a further look-up can do any good; the sightings that are missing are spread evenly. What has no time
 * of its own, like a word from an operator, is looked for at the pace of sightings.
 */
export function nextLookInMs(evidence: Evidence): number {
  const { record, word, settings, nowMs } = evidence;
  const { sightings, spanMs } = proofOf(word, settings);
  const seen = record.sightings[word];
  const missing = sightings - (seen?.count ?? 0);
  const spanLeftMs = seen === undefined ? 0 : seen.firstAtMs + spanMs - nowMs;
  const apartLeftMs = seen === undefined ? 0 : seen.lastAtMs + settings.sightingsApartMs - nowMs;
  const waitMs = Math.max(
    Math.ceil(spanLeftMs / Math.max(1, missing)),
    missing > 0 ? apartLeftMs : 0,
    missing > 1 ? 0 : allowedInMs(evidence),
  );
  return waitMs > 0 ? waitMs : settings.sightingsApartMs;
}

/** What only the last look-up has to wait for: the Node's age and its scope. */
function allowedInMs({ word, look, settings, observation, nowMs }: Evidence): number {
  const ageLeftMs = word === 'not-found' ? settings.notFoundMinAgeMs + 1 - observation.ageMs : 0;
  const { againInMs } = permissionOf(look.scope, { uid: observation.uid, word }, settings, nowMs);
  return Math.max(ageLeftMs, againInMs ?? 0);
}
