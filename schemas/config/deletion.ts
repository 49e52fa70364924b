import * as z from 'zod/mini';

/** A whole number. The controller checks its range. */
function count(description: string) {
  return z.optional(z.int().check(z.describe(description)));
}

/** These limits make a wrong deletion less likely. Weaker values than the defaults are for tests and cause a warning. */
export const Deletion = z.strictObject({
  sightingsApartMs: count('Minimum time between two sightings (default 10000).'),
  terminatedSightings: count('Number of sightings of a terminated instance before the deletion (default 2).'),
  notFoundSightings: count('Number of sightings of an instance that is not found (default 3).'),
  notFoundSpanMs: count('Minimum time from the first of these sightings to the last (default 60000).'),
  notFoundMinAgeMs: count('Minimum age of a Node whose instance is not found (default 300000).'),
  breakerNodes: count('Number of instances of a scope that can be missing at once before deletions stop (default 3).'),
  breakerPercent: count('The same in per cent of the nodes of the scope; the larger one counts (default 20).'),
  breakerWindowMs: count('The time window for that number (default 600000).'),
  terminatedNodesPerWindow: count('Number of Nodes of terminated instances that are deleted in a window (default 3).'),
  terminatedPercentPerWindow: count(
    'The same in per cent of the nodes of the scope; the larger one counts (default 20).',
  ),
  terminatedWindowMs: count('The length of that window (default 60000).'),
  canaryNodes: count('Number of Ready nodes in the same look-up that verify its response (default 5).'),
});
