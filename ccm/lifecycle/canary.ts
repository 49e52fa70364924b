import type { LookupResult } from '../../clouds/index.ts';
import { isFound } from './result-kinds.ts';

/** How many Ready nodes of the scope, whose instances certainly exist, the same look-up found. */
export interface Canary {
  readonly asked: number;
  readonly found: number;
  /** The result of `verifyAccess`; present only if there is no Ready node to look up. */
  readonly accessVerified?: boolean;
}

/** From the results of `verify` alone. A node without a result, or one that was found only in a list, does not count. */
export function canaryOf(results: readonly (LookupResult | undefined)[], accessVerified: boolean | undefined): Canary {
  const found = results.filter((result) => isFound(result) && result.by === 'id').length;
  return { asked: results.length, found, ...(accessVerified !== undefined && { accessVerified }) };
}

/** If none of the Ready nodes is found the canary is never good, even if access is verified. */
export function isCanaryGood({ asked, found, accessVerified }: Canary): boolean {
  return asked > 0 ? found > 0 : accessVerified === true;
}

export function describeCanary({ asked, found, accessVerified }: Canary): string {
  if (asked > 0) return `${found} of ${asked} Ready nodes were found in the same look-up`;
  if (accessVerified === undefined) return 'no Ready node was looked up, and access to the scope was not verified';
  return `no Ready node is left, and access to the scope ${accessVerified ? 'was' : 'could not be'} verified`;
}
