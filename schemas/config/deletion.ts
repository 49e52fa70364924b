import * as z from 'zod/mini';

/** A whole number; what is too small or too large is said by whoever uses it. */
function count(description: string) {
  return z.optional(z.int().check(z.describe(description)));
}

/** Everything here makes a wrong deletion less likely; weaker values than the defaults are for tests, and are warned about. */
export const Deletion = z.strictObject({
  sightingsApartMs: count('Answers nearer to each other than this are one sighting (default 10000).'),
  terminatedSightings: count('How often an instance has to be seen terminated (default 2).'),
  notFoundSightings: count('How often an instance has to be not found (default 3).'),
  notFoundSpanMs: count('Over how long, from the first time to the last (default 60000).'),
  notFoundMinAgeMs: count('A Node younger than this is not deleted for not being found (default 300000).'),
  breakerNodes: count('So many instances of a scope may be missing at once before deletions stop (default 3).'),
  breakerPercent: count('The same in per cent of the nodes of the scope; the larger one counts (default 20).'),
  breakerWindowMs: count('What counts as at once (default 600000).'),
  terminatedNodesPerWindow: count('So many terminated Nodes are deleted in a window (default 3).'),
  terminatedPercentPerWindow: count(
    'The same in per cent of the nodes of the scope; the larger one counts (default 20).',
  ),
  terminatedWindowMs: count('The length of that window (default 60000).'),
  canaryNodes: count('How many Ready nodes are asked for beside those in doubt (default 5).'),
});
