import type { Alphabet } from './alphabets.ts';
import { sightWith } from './alphabets.ts';
import { wrongWith } from './specification.ts';
import { letPass, take } from './world.ts';
import type { Sight, Subject, World } from './world.ts';

/** What goes on for good: the instance is gone, and the rest of the world is as it should be. */
export interface Forever {
  readonly name: string;
  readonly sight: Partial<Sight> & { readonly said: 'terminated' | 'not-found' };
}

/** An operator reads the word and writes it; where nothing is stopped there is none. */
export const forever: readonly Forever[] = [
  { name: 'terminated', sight: { said: 'terminated', neighbourSaid: 'present' } },
  { name: 'not found', sight: { said: 'not-found', neighbourSaid: 'present', confirm: 'current' } },
  {
    name: 'not found, and the neighbour neither',
    sight: { said: 'not-found', neighbourSaid: 'not-found', confirm: 'current' },
  },
];

const mostLooks = 12;

/** Looks again exactly when the function says. `undefined`: deleted in time; otherwise what went wrong. */
export function whyNotDeleted(
  start: World,
  { sight }: Forever,
  subject: Subject,
  alphabet: Alphabet,
): string | undefined {
  const { promise } = alphabet;
  const step = sightWith(sight);
  let world = start;
  for (let look = 1; look <= mostLooks; look++) {
    const { world: after, action, fact, reason } = take(world, step, subject, promise);
    if (action === undefined || fact === undefined) return 'nothing was decided';
    if (action.do === 'delete') {
      const tookMs = after.nowMs - start.nowMs;
      if (tookMs > longestMs(start, sight.said, alphabet)) return `deleted only after ${tookMs} ms`;
      return wrongWith(after.memory, fact, action, promise)[0];
    }
    if (action.do !== 'wait') return `not even waited for: ${reason}`;
    // A word that an operator reads now can only be written before the next look.
    world = letPass(after, sight.confirm === 'current' ? Math.max(1, action.nextLookInMs) : action.nextLookInMs);
  }
  return `not deleted after ${mostLooks} looks`;
}

/** The time that is documented, from the first look on. */
function longestMs(start: World, said: Forever['sight']['said'], { promise, clockGoesBackMs }: Alphabet): number {
  if (said === 'terminated') return promise.sightingsApartMs + promise.terminatedWindowMs + clockGoesBackMs;
  const oldEnoughInMs = promise.notFoundMinAgeMs + 1 - start.ageMs;
  const confirmedInMs = 2;
  return Math.max(promise.notFoundSpanMs, oldEnoughInMs) + confirmedInMs + clockGoesBackMs;
}
