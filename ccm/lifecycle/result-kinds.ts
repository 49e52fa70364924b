import type { Instance, LookupResult } from '../../clouds/index.ts';

/** The cloud has the instance. */
export type FoundResult = Extract<LookupResult, { readonly instance: Instance }>;
/** The cloud reports that the instance does not exist (any more). */
export type GoneResult = Extract<LookupResult, { readonly evidence: string }>;
export type GoneStatus = GoneResult['status'];

export function isFound(result: LookupResult | undefined): result is FoundResult {
  return result?.status === 'running' || result?.status === 'stopped';
}

export function isGone(result: LookupResult | undefined): result is GoneResult {
  return result?.status === 'terminated' || result?.status === 'not-found';
}
