import { ec2Response } from '../../../lab/clouds/aws/ec2-protocol.ts';
import { reservationOf } from '../../../lab/clouds/aws/ec2-reservation.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { usualEc2Behaviour } from '../../../lab/clouds/aws/ec2-instance.ts';
import { initialAwsState, labUserKey } from '../../../lab/clouds/aws/state.ts';
import type { AwsState } from '../../../lab/clouds/aws/state.ts';
import type { WireFault } from '../../../lab/clouds/faults.ts';
import type { TestEnvironment } from './environment.ts';

/** What EC2 may do to everybody at once. */
export interface CloudFailure {
  readonly name: string;
  /** How often a node is asked for meanwhile: after failures the pauses grow. */
  readonly lookups: number;
  /** Is the truth to be had for those that it does not concern? */
  readonly isPartial?: boolean;
  begin(world: TestEnvironment, concerned: Ec2Instance): Promise<void>;
}

const user = usersOf(initialAwsState());

export const cloudFailures: readonly CloudFailure[] = [
  { name: 'an empty list', lookups: 4, begin: ({ aws }) => aws.update({ ec2: { answers: 'empty' } }) },
  {
    name: 'ids left out',
    lookups: 4,
    isPartial: true,
    begin: ({ aws }, { instanceId }) => aws.update({ ec2: { leftOut: [instanceId] } }),
  },
  {
    name: 'credentials of another account, to which every id is unknown',
    lookups: 4,
    begin: async ({ aws }) => {
      await aws.update({ ec2: { foreign: 'not-found' } });
      await aws.update({ users: { 'lab-user': { ...user, accountId: '999999999999' } } });
    },
  },
  {
    name: 'credentials revoked',
    lookups: 2,
    // EC2 returns the same error for a deleted key and for a wrong secret.
    begin: ({ aws }) => aws.update(keyWith({ secretAccessKey: 'another' })),
  },
  { name: 'credentials expired', lookups: 2, begin: ({ aws }) => aws.update(keyWith({ expiresAtMs: Date.now() })) },
  {
    name: 'permission withdrawn (403)',
    lookups: 2,
    begin: ({ aws }) => aws.update({ users: { 'lab-user': { ...user, permissions: [] } } }),
  },
  { name: 'throttling in the words of EC2 (503)', lookups: 2, begin: withFault({ kind: 'throttle', retryAfterS: 1 }) },
  { name: 'a storm of 429', lookups: 2, begin: withFault({ kind: 'throttle', status: 429, retryAfterS: 1 }) },
  { name: 'errors of the server (500)', lookups: 2, begin: withFault({ kind: 'status', status: 500 }) },
  { name: 'errors of a proxy (502)', lookups: 2, begin: withFault({ kind: 'status', status: 502, body: '<html>' }) },
  { name: 'answers in no format', lookups: 2, begin: withFault({ kind: 'garbage' }) },
  {
    name: 'a page of HTML',
    lookups: 2,
    begin: withFault({ kind: 'status', status: 200, body: '<html>Log in</html>' }),
  },
  { name: 'answers without a body', lookups: 2, begin: withFault({ kind: 'empty' }) },
  { name: 'answers cut off', lookups: 2, begin: withFault({ kind: 'cut-off' }) },
  { name: 'connections reset', lookups: 2, begin: withFault({ kind: 'reset' }) },
  {
    name: 'a first page, and the same again, without end',
    lookups: 2,
    begin: (world, concerned) => withFault(pageWithout(concerned))(world, concerned),
  },
];

export async function endCloudFailures({ aws }: TestEnvironment): Promise<void> {
  await aws.clearFaults();
  await aws.update({ ec2: usualEc2Behaviour, users: { 'lab-user': user }, ...keyWith({}) });
}

/** A list without the requested instance that announces another page. */
export function pageWithout({ instanceId, ...rest }: Ec2Instance): WireFault {
  const another = `${instanceId.slice(0, -5)}fffff`;
  const shown = reservationOf({ ...rest, instanceId: another });
  const { status, headers, body } = ec2Response('DescribeInstances', { reservationSet: [shown], nextToken: 'next' });
  return { kind: 'status', status, headers, body };
}

function withFault(fault: WireFault): CloudFailure['begin'] {
  return ({ aws }) => aws.addFault({ service: 'ec2', ...fault });
}

function keyWith(changed: Partial<AwsState['accessKeys'][string]>): Pick<AwsState, 'accessKeys'> {
  return { accessKeys: { [labUserKey.accessKeyId]: { ...labUserKey, ...changed } } };
}

function usersOf({ users }: AwsState): AwsState['users'][string] {
  const known = users['lab-user'];
  if (known === undefined) throw new Error('the lab has no user');
  return known;
}
