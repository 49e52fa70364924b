import type { LookupResult } from '../../clouds/index.ts';
import { isFound } from './result-kinds.ts';

/** How a look-up fared with nodes that certainly exist: Ready ones of the same scope, asked for in the same breath. */
export interface Canary {
  readonly asked: number;
  readonly found: number;
  /** What `vouch` said; only where no Ready node is left to ask for. */
  readonly accessVerified?: boolean;
}

/** From the results of `verify` alone. A node without a result, or one that was found only in a list, does not count. */
export function canaryOf(results: readonly (LookupResult | undefined)[], accessVerified: boolean | undefined): Canary {
  const found = results.filter((result) => isFound(result) && result.by === 'id').length;
  return { asked: results.length, found, ...(accessVerified !== undefined && { accessVerified }) };
}

/** An answer in which nobody at all is found is never good, whatever is said of the credentials. */
export function isCanaryGood({ asked, found, accessVerified }: Canary): boolean {
  return asked > 0 ? found > 0 : accessVerified === true;
}

export function describeCanary({ asked, found, accessVerified }: Canary): string {
  if (asked > 0) return `${found} of ${asked} Ready nodes were found in the same look-up`;
  if (accessVerified === undefined) return 'no Ready node was asked for, and nobody vouched for the scope';
  return `no Ready node is left, and the scope ${accessVerified ? 'was' : 'was not'} vouched for`;
}
