import type { Finding } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { isGood } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';

/** What one scope said of a node, and how far it is to be believed. */
export interface Answer {
  readonly finding: Finding;
  readonly canary: Canary;
}

/**
 * One answer for a node that was asked for in several scopes. One place that has it is enough; gone is only what is gone
 * everywhere, by answers that can all be believed.
 */
export function combine(answers: readonly [Answer, ...Answer[]]): Answer {
  const [first, ...others] = answers;
  if (others.length === 0) return first;
  const present = answers.filter(({ finding }) => finding.is === 'present');
  if (present.length > 1) return { ...first, finding: ambiguous(answers) };
  return present[0] ?? answers.find(({ finding }) => finding.is !== 'gone') ?? weakest(first, others);
}

function weakest(first: Answer, others: readonly Answer[]): Answer {
  return [first, ...others].find(({ canary }) => !isGood(canary)) ?? preferNotFound(first, others);
}

/** The word that takes longer to be believed. */
function preferNotFound(first: Answer, others: readonly Answer[]): Answer {
  return [first, ...others].find(({ finding }) => finding.is === 'gone' && finding.word === 'not-found') ?? first;
}

function ambiguous(answers: readonly Answer[]): Finding {
  const candidates = answers.flatMap(({ finding }) => (finding.is === 'present' ? [finding.instance.providerId] : []));
  return { is: 'ambiguous', candidates };
}

/** What is said of a node for which nothing was said at all. */
export function leftOut(cloud: string): Finding {
  const failure = new Failure('invalid-response', `${cloud} left it out of its answer`, {
    remedy: 'it is asked again; if it stays, check the permissions of the credentials',
  });
  return { is: 'unknown', failure };
}
