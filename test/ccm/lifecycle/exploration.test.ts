import t from 'tap';
import type { Test } from 'tap';
import { alphabets } from './alphabets.ts';
import type { Alphabet } from './alphabets.ts';
import { explore } from './explore.ts';
import type { ExplorationResult } from './explore.ts';
import { persistentConditions, whyNotDeleted } from './liveness.ts';
import { implementationFor } from './implementation.ts';

const explored: ExplorationResult[] = [];
for (const alphabet of Object.values(alphabets)) {
  await t.test(`${alphabet.name}: explored to its end`, async (t) => {
    explored.push(exploreFully(t, alphabet));
  });
}
const states = explored.reduce((sum, { states: worlds }) => sum + worlds.length, 0);
const edges = explored.reduce((sum, each) => sum + each.edges, 0);
t.comment(`together ${states} states, ${edges} edges`);

function exploreFully(t: Test, alphabet: Alphabet): ExplorationResult {
  const implementation = implementationFor(alphabet);
  const found = explore(implementation, alphabet);
  const { states: visited, edges: taken, deletions, violation } = found;
  t.comment(`${alphabet.name}: ${visited.length} states, ${taken} edges, ${deletions} of them deletions`);
  t.equal(violation, undefined, 'no edge deletes against the specification');
  t.ok(deletions > 0, 'and some delete');
  for (const each of persistentConditions) {
    const why = visited.map((state) => whyNotDeleted(state, each, implementation, alphabet));
    const stuck = why.find((reason) => reason !== undefined);
    t.equal(stuck, undefined, `${each.name} for good: deleted in time, from every state`);
  }
  return found;
}
