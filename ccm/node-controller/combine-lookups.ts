import type { LookupResult } from '../../clouds/index.ts';
import { Failure } from '../../lib/failure.ts';
import { isCanaryGood } from '../lifecycle/canary.ts';
import type { Canary } from '../lifecycle/canary.ts';
import { isFound, isGone } from '../lifecycle/result-kinds.ts';

/** The result of a node in one scope, and how far it can be trusted. */
export interface NodeLookup {
  readonly result: LookupResult;
  readonly canary: Canary;
}

/**
 * One result for a node that was looked up in several scopes. One scope that has the instance is enough; it is gone only
 * if it is gone in every scope, by results that can all be trusted.
 */
export function combineLookups(lookups: readonly [NodeLookup, ...NodeLookup[]]): NodeLookup {
  const [first, ...others] = lookups;
  if (others.length === 0) return first;
  const present = lookups.filter(({ result }) => isFound(result));
  if (providerIdsOf(present).length > 1) return { ...first, result: ambiguousResult(lookups) };
  return present[0] ?? lookups.find(({ result }) => !isGone(result)) ?? leastCertain(first, others);
}

function leastCertain(first: NodeLookup, others: readonly NodeLookup[]): NodeLookup {
  return [first, ...others].find(({ canary }) => !isCanaryGood(canary)) ?? preferNotFound(first, others);
}

/** The status that needs more observations. */
function preferNotFound(first: NodeLookup, others: readonly NodeLookup[]): NodeLookup {
  return [first, ...others].find(({ result }) => result.status === 'not-found') ?? first;
}

function ambiguousResult(lookups: readonly NodeLookup[]): LookupResult {
  return { status: 'ambiguous', candidates: providerIdsOf(lookups) };
}

/** Each once: scopes of the configuration can overlap. */
function providerIdsOf(lookups: readonly NodeLookup[]): readonly string[] {
  return [...new Set(lookups.flatMap(({ result }) => (isFound(result) ? [result.instance.providerId] : [])))];
}

/** The result for a node that the response leaves out. */
export function leftOutResult(cloud: string): LookupResult {
  const failure = new Failure('invalid-response', `${cloud} left it out of its response`, {
    remedy: 'it is asked again; if it stays, check the permissions of the credentials',
  });
  return { status: 'unknown', failure };
}
