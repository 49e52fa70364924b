import type { Finding } from '../../clouds/index.ts';

/** How a look-up fared with nodes that certainly exist: Ready ones of the same scope, asked for in the same breath. */
export interface Canary {
  readonly asked: number;
  readonly found: number;
  /** What `vouch` said; only where no Ready node is left to ask for. */
  readonly vouched?: boolean;
}

/** `findings` of the Ready nodes alone; left out of the answer is not found. */
export function canaryOf(findings: readonly (Finding | undefined)[], vouched: boolean | undefined): Canary {
  const found = findings.filter((finding) => finding?.is === 'present').length;
  return { asked: findings.length, found, ...(vouched !== undefined && { vouched }) };
}

/** An answer in which nobody at all is found is never good, whatever is said of the credentials. */
export function isGood({ asked, found, vouched }: Canary): boolean {
  return asked > 0 ? found > 0 : vouched === true;
}

export function describeCanary({ asked, found, vouched }: Canary): string {
  if (asked > 0) return `${found} of ${asked} Ready nodes were found in the same look-up`;
  if (vouched === undefined) return 'no Ready node was asked for, and nobody vouched for the scope';
  return `no Ready node is left, and the scope ${vouched ? 'was' : 'was not'} vouched for`;
}
