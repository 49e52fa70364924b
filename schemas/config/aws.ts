import * as z from 'zod/mini';
import { awsDefaults } from './aws.defaults.ts';
import { annotationKeys, name } from './formats.ts';

const AwsScope = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens'),
      z.describe('Its name in logs and metrics.'),
      z.meta({ examples: ['prod'] }),
    ),
  region: z
    .string()
    .check(
      z.regex(/^[a-z]+(?:-[a-z]+)+-\d{1,2}$/, 'must be a region such as us-west-2'),
      z.describe('Its region.'),
      z.meta({ examples: ['us-west-2'] }),
    ),
  profile: z.optional(
    name.check(
      z.describe('The profile for look-ups. Without one, the controller’s own identity is used.'),
      z.meta({ examples: ['prod'] }),
    ),
  ),
  roleArn: z.optional(
    z
      .string()
      .check(
        z.regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, 'must be the ARN of an IAM role'),
        z.describe('The role to assume for look-ups.'),
        z.meta({ examples: ['arn:aws:iam::123456789012:role/polycloud-ccm'] }),
      ),
  ),
  accountId: z.optional(
    z
      .string()
      .check(
        z.regex(/^\d{12}$/, 'must be twelve digits, in quotes'),
        z.describe('The account id. With it, deletions are safe after a restart even if no node of the scope is left.'),
        z.meta({ examples: ['123456789012'] }),
      ),
  ),
});

const AwsRouteTable = z.strictObject({
  id: z
    .string()
    .check(
      z.regex(/^rtb-[0-9a-f]{8,17}$/, 'must be the id of a route table'),
      z.describe('Its id.'),
      z.meta({ examples: ['rtb-0123456789abcdef0'] }),
    ),
  region: z.optional(
    z
      .string()
      .check(
        z.regex(/^[a-z]+(?:-[a-z]+)+-\d{1,2}$/, 'must be a region such as us-west-2'),
        z.describe('Its region, if the nodes are in several.'),
        z.meta({ examples: ['us-west-2'] }),
      ),
  ),
});

const AwsSettings = z.strictObject({
  roleAnnotations: z
    ._default(annotationKeys, awsDefaults.roleAnnotations)
    .check(z.describe('Service account annotations that may name the IAM role to assume. The first one present wins.')),
  scopes: z
    ._default(z.array(AwsScope).check(z.refine(noRepeatedNames, 'has two entries with the same `name`')), [])
    .check(
      z.describe(
        'Accounts and regions of the nodes’ instances. Without them, the controller’s own identity is used, in the region of each node’s zone.',
      ),
    ),
  clusterName: z.optional(
    name.check(
      z.describe(
        'The name of the cluster in the tag kubernetes.io/cluster/NAME of its route table. Routes in a table with the value `owned` are the cluster’s.',
      ),
      z.meta({ examples: ['prod'] }),
    ),
  ),
  routeTables: z
    ._default(z.array(AwsRouteTable), [])
    .check(z.describe('The route tables for pods. Without them, the one with the tag of the cluster.')),
  nodeIpFamilies: z
    ._default(z.array(z.enum(['ipv4', 'ipv6'])).check(z.minLength(1, 'needs at least one')), awsDefaults.nodeIpFamilies)
    .check(
      z.describe(
        'The families of the addresses of Nodes, the preferred one first. A kubelet whose --node-ip names both families gets both.',
      ),
    ),
});

export const AwsConfig = z._default(AwsSettings, awsDefaults).check(z.describe('Settings for AWS.'));
export type AwsConfig = z.infer<typeof AwsConfig>;
/** An account and a region. */
export type ScopeConfig = AwsConfig['scopes'][number];
export type IpFamily = AwsConfig['nodeIpFamilies'][number];

function noRepeatedNames(entries: readonly { readonly name: string }[]): boolean {
  return new Set(entries.map((entry) => entry.name)).size === entries.length;
}
