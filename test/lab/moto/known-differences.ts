import type { Difference } from './differences.ts';

/** Where the embedded AWS and moto answer differently, and why ours stays as it is. */
export const knownDifferences: readonly KnownDifference[] = [
  ...(['AssumeRole', 'AssumeRoleWithWebIdentity'] as const).map((action) =>
    knownDifference(
      action,
      'PackedPolicySize',
      [undefined, 'text'],
      'AWS sends it only for a request with a policy or tags',
    ),
  ),
  ...[
    ['Audience', 'text'],
    ['Provider', 'ARN'],
    ['SubjectFromWebIdentityToken', 'text'],
  ].map(([field = '', kind]) =>
    knownDifference(
      'AssumeRoleWithWebIdentity',
      field,
      [kind, undefined],
      'AWS tells what it read in the token, which moto does not read',
    ),
  ),
  knownDifference(
    'AssumeRoleWithWebIdentity',
    'AssumedRoleUser.AssumedRoleId',
    ['role and session id', 'text'],
    'the form of the id is the same in AWS for every way to a role; moto makes one up here',
  ),
];

interface KnownDifference extends Difference {
  readonly reason: string;
}

function knownDifference(
  action: 'AssumeRole' | 'AssumeRoleWithWebIdentity',
  field: string,
  [ours, motos]: readonly [string | undefined, string | undefined],
  reason: string,
): KnownDifference {
  return { operation: `sts:${action}`, path: `body.${action}Response.${action}Result.${field}`, ours, motos, reason };
}
