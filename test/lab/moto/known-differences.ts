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
  ...(['ec2:DescribeInstances', 'ec2:DescribeInstances of an unknown id'] as const).map((operation) => ({
    operation,
    path: 'content-type',
    ours: 'text/xml;charset=UTF-8',
    motos: 'text/xml',
    reason: 'EC2 says which encoding it is',
  })),
  namespace('ec2:DescribeInstances', 'DescribeInstancesResponse'),
  namespace('ec2:DescribeInstances of an unknown id', 'Response'),
  ofInstance('placement.availabilityZoneId', ['text', undefined], 'EC2 names the zone by its id as well, since 2025'),
  ...[
    ['groupSet.item', 'element'],
    ['groupSet.item.groupId', 'text'],
    ['groupSet.item.groupName', 'text'],
  ].map(([field = '', kind]) =>
    ofInstance(field, [kind, undefined], 'moto has the groups at the interface only; in a VPC EC2 has them at both'),
  ),
  ...['association.ipOwnerId', 'privateIpAddressesSet.item.association.ipOwnerId'].map((field) =>
    ofInstance(
      `networkInterfaceSet.item.${field}`,
      ['text', 'account id'],
      'an address that comes with the instance is amazon’s',
    ),
  ),
  ...[
    ['stateReason', 'element'],
    ['stateReason.code', 'element'],
    ['stateReason.message', 'element'],
  ].map(([field = '', kind]) => ofInstance(field, [undefined, kind], 'EC2 gives a reason only where there is one')),
  ofInstance('sriovNetSupport', [undefined, 'text'], 'only of types that are older than the network adapter of today'),
  ofInstance('hibernationOptions', [undefined, 'element'], 'we read nothing of it, and moto leaves it empty'),
  ofInstance('platform', [undefined, 'text'], 'only of Windows, which moto takes its image to be'),
];

interface KnownDifference extends Difference {
  readonly reason: string;
}

function namespace(operation: Difference['operation'], root: string): KnownDifference {
  const motos = 'http://ec2.amazonaws.com/doc/2016-11-15';
  return { operation, path: `body.${root}@xmlns`, ours: `${motos}/`, motos, reason: 'EC2’s name ends with a slash' };
}

function ofInstance(
  field: string,
  [ours, motos]: readonly [string | undefined, string | undefined],
  reason: string,
): KnownDifference {
  const path = `body.DescribeInstancesResponse.reservationSet.item.instancesSet.item.${field}`;
  return { operation: 'ec2:DescribeInstances', path, ours, motos, reason };
}

function knownDifference(
  action: 'AssumeRole' | 'AssumeRoleWithWebIdentity',
  field: string,
  [ours, motos]: readonly [string | undefined, string | undefined],
  reason: string,
): KnownDifference {
  return { operation: `sts:${action}`, path: `body.${action}Response.${action}Result.${field}`, ours, motos, reason };
}
