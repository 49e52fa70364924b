import * as z from 'zod/mini';
import { defaultConfig, defaultNodeIpFamilies, defaultRoleAnnotations } from './config-defaults.ts';

/** Our own configuration file, for all programs. Unknown keys are mistakes. The descriptions become the reference page. */
const absolutePath = z.string().check(z.regex(/^\//, 'must be an absolute path'));
const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?';
const port = '(?:[1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
const folder = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*';
const hostAndPathPattern = new RegExp(`^(?=localhost|[^/]*[.:])${label}(?:\\.${label})*(?::${port})?(?:/${folder})*$`);
const hostAndPath = z
  .string()
  .check(z.regex(hostAndPathPattern, 'must be host[:port][/path], in lower case, without a tag'));
const annotationKey = z.string().check(z.regex(/^[\w.-]+\/[\w.-]+$/, 'must be a key such as example.com/role'));
const name = z.string().check(z.minLength(1, 'must not be empty'));

const StoredLogin = z.strictObject({
  usernameFile: absolutePath.check(z.describe('File that holds the user name, read at each login.')),
  passwordFile: absolutePath.check(z.describe('File that holds the password, read at each login.')),
});

const RegistryEntry = z
  .strictObject({
    match: hostAndPath.check(z.describe('Images meant: `host[:port][/path]`. The longest match wins.')),
    as: z.optional(
      hostAndPath.check(
        z.describe(
          'The registry whose login these images need: for a mirror, a pull-through cache or a domain of your own.',
        ),
      ),
    ),
    nodeIdentity: z.optional(
      name.check(
        z.describe('Which of the node’s identities logs in, in the cloud’s own terms; on AWS a profile’s name.'),
      ),
    ),
    login: z.optional(StoredLogin.check(z.describe('A login kept in files, for a registry of no cloud.'))),
  })
  .check(
    z.refine(
      ({ as, nodeIdentity, login }) => (login === undefined) !== (as === undefined && nodeIdentity === undefined),
      'needs either `login`, or `as` or `nodeIdentity` or both',
    ),
  );
export type RegistryEntry = z.infer<typeof RegistryEntry>;

function noRepeats(entries: readonly { readonly match: string }[]): boolean {
  return new Set(entries.map(({ match }) => match)).size === entries.length;
}

function noRepeatedNames(entries: readonly { readonly name: string }[]): boolean {
  return new Set(entries.map((entry) => entry.name)).size === entries.length;
}

const AwsScope = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens'),
      z.describe('What it is called in logs and metrics.'),
    ),
  region: z
    .string()
    .check(z.regex(/^[a-z]+(?:-[a-z]+)+-\d{1,2}$/, 'must be a region such as us-west-2'), z.describe('Its region.')),
  profile: z.optional(name.check(z.describe('The profile that asks; without one, our own identity does.'))),
  roleArn: z.optional(
    z
      .string()
      .check(
        z.regex(/^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/, 'must be the ARN of an IAM role'),
        z.describe('The role to take on for asking.'),
      ),
  ),
  accountId: z.optional(
    z
      .string()
      .check(
        z.regex(/^\d{12}$/, 'must be twelve digits, in quotes'),
        z.describe(
          'The account. With it deletions are safe to go on after a restart even when no node of the scope is left.',
        ),
      ),
  ),
});

const Aws = z.strictObject({
  roleAnnotations: z
    ._default(z.array(annotationKey).check(z.minLength(1, 'needs at least one key')), defaultRoleAnnotations)
    .check(
      z.describe('Service account annotations that may name the IAM role to take on; the first one present wins.'),
    ),
  scopes: z
    ._default(z.array(AwsScope).check(z.refine(noRepeatedNames, 'has two entries with the same `name`')), [])
    .check(
      z.describe(
        'Accounts and regions that hold the instances of nodes. None: our own identity asks, in the region of each node’s zone.',
      ),
    ),
  nodeIpFamilies: z
    ._default(z.array(z.enum(['ipv4', 'ipv6'])).check(z.minLength(1, 'needs at least one')), defaultNodeIpFamilies)
    .check(z.describe('Which addresses Nodes get, the preferred family first.')),
});

const Static = z.strictObject({
  inventoryFile: z.optional(
    absolutePath.check(z.describe('Inventory of the machines that are no cloud’s, read again at each look.')),
  ),
});

/** A whole number; what is too small or too large is said by whoever uses it. */
function count(description: string) {
  return z.optional(z.int().check(z.describe(description)));
}

/** Everything here makes a wrong deletion less likely; weaker values than the defaults are for tests, and are warned about. */
const Deletion = z.strictObject({
  sightingsApartMs: count('Answers nearer to each other than this are one sighting (default 10000).'),
  terminatedSightings: count('How often an instance has to be seen terminated (default 2).'),
  notFoundSightings: count('How often an instance has to be not found (default 3).'),
  notFoundSpanMs: count('Over how long, from the first time to the last (default 60000).'),
  notFoundMinAgeMs: count('A Node younger than this is not deleted for not being found (default 300000).'),
  breakerNodes: count('So many instances of a scope may be missing at once before deletions stop (default 3).'),
  breakerPercent: count('The same in per cent of the nodes of the scope; the larger one counts (default 20).'),
  breakerWindowMs: count('What counts as at once (default 600000).'),
  terminatedNodesPerWindow: count('So many terminated Nodes are deleted in a window (default 3).'),
  terminatedPercentPerWindow: count(
    'The same in per cent of the nodes of the scope; the larger one counts (default 20).',
  ),
  terminatedWindowMs: count('The length of that window (default 60000).'),
  canaryNodes: count('How many Ready nodes are asked for beside those in doubt (default 5).'),
});

export const Config = z.strictObject({
  caFile: z.optional(
    absolutePath.check(z.describe('PEM certificates of authorities to trust besides those that the host trusts.')),
  ),
  registries: z
    ._default(z.array(RegistryEntry).check(z.refine(noRepeats, 'has two entries with the same `match`')), [])
    .check(z.describe('Images that are served otherwise than their host alone says.')),
  dockerConfigFiles: z
    ._default(z.array(absolutePath), [])
    .check(
      z.describe(
        'Docker config files whose `auths` serve what no cloud serves; the most particular entry of all files wins.',
      ),
    ),
  deletion: z._default(Deletion, {}).check(z.describe('When the controller deletes a Node; see the guide.')),
  aws: z._default(Aws, defaultConfig.aws).check(z.describe('What is AWS’s own.')),
  static: z._default(Static, defaultConfig.static).check(z.describe('What is no cloud’s.')),
});
export type Config = z.infer<typeof Config>;
