import type { Alphabet } from './alphabets.ts';
import { keyOf } from './canonical.ts';
import { wrongWith } from './specification.ts';
import { firstWorld, take } from './world.ts';
import type { Step, Stepped, Subject, World } from './world.ts';

export interface Explored {
  readonly worlds: readonly World[];
  readonly edges: number;
  readonly deletions: number;
  /** The shortest way to a wrong deletion, in words; the exploration ends there. */
  readonly wrong?: string;
}

interface Visited {
  readonly world: World;
  readonly from?: Visited;
  readonly step?: Step;
}

/** Far above what any of the explorations needs: a state space that never ends is a mistake of the key. */
const mostWorlds = 100_000;

/** Breadth first over distinct worlds, until there is no new one or an edge is wrong. */
export function explore(subject: Subject, alphabet: Alphabet): Explored {
  const queue: Visited[] = [{ world: firstWorld }];
  const seen = new Set([keyOf(firstWorld, alphabet)]);
  let edges = 0;
  let deletions = 0;
  for (const from of queue) {
    for (const step of alphabet.steps) {
      const stepped = take(from.world, step, subject, alphabet.promise);
      const to = { world: stepped.world, from, step };
      edges += 1;
      if (stepped.action?.do === 'delete') deletions += 1;
      const wrong = judge(stepped, alphabet);
      if (wrong !== '') return { ...outcome(queue, edges, deletions), wrong: `${wrong}: ${wayTo(to)}` };
      if (isNew(seen, keyOf(to.world, alphabet))) queue.push(to);
    }
    if (queue.length > mostWorlds) throw new Error(`${alphabet.name}: more than ${mostWorlds} worlds`);
  }
  return outcome(queue, edges, deletions);
}

function judge({ world, action, fact }: Stepped, { promise }: Alphabet): string {
  if (action === undefined || fact === undefined) return '';
  return wrongWith(world.memory, fact, action, promise).join(', ');
}

function isNew(seen: Set<string>, key: string): boolean {
  if (seen.has(key)) return false;
  seen.add(key);
  return true;
}

function outcome(queue: readonly Visited[], edges: number, deletions: number): Explored {
  return { worlds: queue.map(({ world }) => world), edges, deletions };
}

function wayTo(visited: Visited): string {
  const steps: string[] = [];
  for (let each: Visited | undefined = visited; each?.step !== undefined; each = each.from) {
    steps.push(JSON.stringify(each.step));
  }
  return steps.toReversed().join(' → ');
}
