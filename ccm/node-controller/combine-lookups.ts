import type { LookupResult } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { isCanaryGood } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';
import { isFound, isGone } from '../lifecycle/result-kinds.ts';

/** What one scope said of a node, and how far it is to be believed. */
export interface NodeLookup {
  readonly result: LookupResult;
  readonly canary: Canary;
}

/**
 * One answer for a node that was asked for in several scopes. One place that has it is enough; gone is only what is gone
 * everywhere, by answers that can all be believed.
 */
export function combineLookups(lookups: readonly [NodeLookup, ...NodeLookup[]]): NodeLookup {
  const [first, ...others] = lookups;
  if (others.length === 0) return first;
  const present = lookups.filter(({ result }) => isFound(result));
  if (present.length > 1) return { ...first, result: ambiguousResult(lookups) };
  return present[0] ?? lookups.find(({ result }) => !isGone(result)) ?? leastCertain(first, others);
}

function leastCertain(first: NodeLookup, others: readonly NodeLookup[]): NodeLookup {
  return [first, ...others].find(({ canary }) => !isCanaryGood(canary)) ?? preferNotFound(first, others);
}

/** The word that takes longer to be believed. */
function preferNotFound(first: NodeLookup, others: readonly NodeLookup[]): NodeLookup {
  return [first, ...others].find(({ result }) => result.status === 'not-found') ?? first;
}

function ambiguousResult(lookups: readonly NodeLookup[]): LookupResult {
  const candidates = lookups.flatMap(({ result }) => (isFound(result) ? [result.instance.providerId] : []));
  return { status: 'ambiguous', candidates };
}

/** What is said of a node for which nothing was said at all. */
export function leftOutResult(cloud: string): LookupResult {
  const failure = new Failure('invalid-response', `${cloud} left it out of its answer`, {
    remedy: 'it is asked again; if it stays, check the permissions of the credentials',
  });
  return { status: 'unknown', failure };
}
