import t from 'tap';
import type { Test } from 'tap';
import { alphabets } from './alphabets.ts';
import type { Alphabet } from './alphabets.ts';
import { explore } from './explore.ts';
import type { Explored } from './explore.ts';
import { forever, whyNotDeleted } from './liveness.ts';
import { subjectFor } from './subject.ts';

const explored: Explored[] = [];
for (const alphabet of Object.values(alphabets)) {
  await t.test(`${alphabet.name}: explored to its end`, async (t) => {
    explored.push(exploreToTheEnd(t, alphabet));
  });
}
const states = explored.reduce((sum, { worlds }) => sum + worlds.length, 0);
const edges = explored.reduce((sum, each) => sum + each.edges, 0);
t.comment(`together ${states} states, ${edges} edges`);

function exploreToTheEnd(t: Test, alphabet: Alphabet): Explored {
  const subject = subjectFor(alphabet);
  const found = explore(subject, alphabet);
  const { worlds, edges: taken, deletions, wrong } = found;
  t.comment(`${alphabet.name}: ${worlds.length} states, ${taken} edges, ${deletions} of them deletions`);
  t.equal(wrong, undefined, 'no edge deletes against the specification');
  t.ok(deletions > 0, 'and some delete');
  for (const each of forever) {
    const why = worlds.map((world) => whyNotDeleted(world, each, subject, alphabet));
    const stuck = why.find((reason) => reason !== undefined);
    t.equal(stuck, undefined, `${each.name} for good: deleted in time, from every state`);
  }
  return found;
}
