import type { Alphabet } from './alphabets.ts';
import { observationWith } from './alphabets.ts';
import { violationsOf } from './specification.ts';
import { passTime, applyStep } from './model.ts';
import type { ModelObservation, Implementation, ModelState } from './model.ts';

/** What goes on for good: the instance is gone, and the rest of the world is as it should be. */
export interface PersistentCondition {
  readonly name: string;
  readonly observation: Partial<ModelObservation> & { readonly status: 'terminated' | 'not-found' };
}

/** An operator reads the word and writes it; where nothing is stopped there is none. */
export const persistentConditions: readonly PersistentCondition[] = [
  { name: 'terminated', observation: { status: 'terminated', neighbourStatus: 'running' } },
  { name: 'not found', observation: { status: 'not-found', neighbourStatus: 'running', confirm: 'current' } },
  {
    name: 'not found, and the neighbour neither',
    observation: { status: 'not-found', neighbourStatus: 'not-found', confirm: 'current' },
  },
];

const maxLookups = 12;

/** Looks up again exactly at the time that the function returns. `undefined`: deleted in time. Otherwise the problem. */
export function whyNotDeleted(
  start: ModelState,
  { observation }: PersistentCondition,
  implementation: Implementation,
  alphabet: Alphabet,
): string | undefined {
  const { promised } = alphabet;
  const step = observationWith(observation);
  let state = start;
  for (let lookup = 1; lookup <= maxLookups; lookup++) {
    const { state: after, action, observed, reason } = applyStep(state, step, implementation, promised);
    if (action === undefined || observed === undefined) return 'nothing was decided';
    if (action.do === 'delete') {
      const tookMs = after.nowMs - start.nowMs;
      if (tookMs > timeLimitMs(start, observation.status, alphabet)) return `deleted only after ${tookMs} ms`;
      return violationsOf(after.history, observed, action, promised)[0];
    }
    if (action.do !== 'wait') return `not even waited for: ${reason}`;
    // A word that an operator reads now can only be written before the next look.
    state = passTime(
      after,
      observation.confirm === 'current' ? Math.max(1, action.nextLookupInMs) : action.nextLookupInMs,
    );
  }
  return `not deleted after ${maxLookups} looks`;
}

/** The time that is documented, from the first look on. */
function timeLimitMs(
  start: ModelState,
  status: PersistentCondition['observation']['status'],
  { promised, clockGoesBackMs }: Alphabet,
): number {
  if (status === 'terminated') return promised.sightingsApartMs + promised.terminatedWindowMs + clockGoesBackMs;
  const oldEnoughInMs = promised.notFoundMinAgeMs + 1 - start.ageMs;
  const confirmedInMs = 2;
  return Math.max(promised.notFoundSpanMs, oldEnoughInMs) + confirmedInMs + clockGoesBackMs;
}
