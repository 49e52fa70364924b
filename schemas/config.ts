import * as z from 'zod/mini';
import {
  defaultAzure,
  defaultConfig,
  defaultGcp,
  defaultNodeIpFamilies,
  defaultRoleAnnotations,
} from './config-defaults.ts';

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

const ProofByCloud = z.strictObject({
  from: z.enum(['aws', 'azure', 'gcp']).check(z.describe('The cloud that the node runs in; it signs the proof.')),
  audience: name.check(
    z.describe('Whom the proof is for, as the registry’s cloud expects it, e.g. `api://AzureADTokenExchange`.'),
  ),
});

const ProofByFile = z.strictObject({
  from: z.literal('file').check(z.describe('A signed token in a file.')),
  tokenFile: absolutePath.check(z.describe('That file, read at each login.')),
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
        z.describe(
          'Which of the node’s identities logs in, in the cloud’s own terms; on AWS a profile’s name, on Google a service account’s e-mail address.',
        ),
      ),
    ),
    role: z.optional(
      z
        .record(annotationKey, name)
        .check(
          z.describe(
            'What the node’s identity takes on there, by the keys by which a pod’s service account is annotated: a role of another account, an application of another tenant, a service account to impersonate.',
          ),
        ),
    ),
    federation: z.optional(
      z
        .discriminatedUnion('from', [ProofByCloud, ProofByFile])
        .check(
          z.describe('How the node proves to the registry’s cloud who it is, where that is not the cloud it runs in.'),
        ),
    ),
    login: z.optional(StoredLogin.check(z.describe('A login kept in files, for a registry of no cloud.'))),
  })
  .check(
    z.refine(
      ({ login, match: _match, ...others }) =>
        (login === undefined) === Object.values(others).some((value) => value !== undefined),
      'needs either `login` alone, or some of `as`, `nodeIdentity`, `role` and `federation`',
    ),
    z.refine(
      ({ federation, role }) => federation === undefined || role !== undefined,
      'has `federation` without the `role` that it is for',
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

const domain = z.string().check(z.regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a domain such as googleapis.com'));
const httpsUrl = z
  .string()
  .check(z.regex(/^https:\/\/[a-z0-9.-]+(?::\d{1,5})?\/?$/, 'must be https://host[:port], without a path'));
const poolProvider = z
  .string()
  .check(
    z.regex(
      /^projects\/\d+\/locations\/[a-z0-9-]+\/workloadIdentityPools\/[a-z0-9-]+\/providers\/[a-z0-9-]+$/,
      'must be projects/NUMBER/locations/global/workloadIdentityPools/POOL/providers/PROVIDER',
    ),
  );

/** Where nodes reach Google’s APIs by private names of their own. */
const GcpEndpoints = z.strictObject({
  sts: z.optional(httpsUrl.check(z.describe('In place of `https://sts.googleapis.com`.'))),
  iamCredentials: z.optional(httpsUrl.check(z.describe('In place of `https://iamcredentials.googleapis.com`.'))),
  oauth2: z.optional(httpsUrl.check(z.describe('In place of `https://oauth2.googleapis.com`.'))),
});

const Gcp = z.strictObject({
  serviceAccountAnnotations: z
    ._default(
      z.array(annotationKey).check(z.minLength(1, 'needs at least one key')),
      defaultGcp.serviceAccountAnnotations,
    )
    .check(
      z.describe(
        'Service account annotations that may name the Google service account to impersonate; the first one present wins. None present: the pod’s own principal logs in.',
      ),
    ),
  providerAnnotations: z
    ._default(z.array(annotationKey).check(z.minLength(1, 'needs at least one key')), defaultGcp.providerAnnotations)
    .check(
      z.describe(
        'Service account annotations that may name the workload identity pool’s provider that a pod’s token is for; the first one present wins.',
      ),
    ),
  workloadIdentityProvider: z.optional(
    poolProvider.check(
      z.describe('The provider where no annotation names one; without either, the token’s own audience says.'),
    ),
  ),
  scopes: z
    ._default(
      z
        .array(
          z
            .string()
            .check(
              z.regex(/^https:\/\/[\w./-]+$/, 'must be a scope such as https://www.googleapis.com/auth/cloud-platform'),
            ),
        )
        .check(z.minLength(1, 'needs at least one')),
      defaultGcp.scopes,
    )
    .check(z.describe('What access tokens are asked for; the instance’s own token has the instance’s scopes.')),
  universeDomain: z
    ._default(domain, defaultGcp.universeDomain)
    .check(z.describe('Where the APIs are, for clouds that partners of Google’s run, e.g. `s3nsapis.fr`.')),
  registryDomain: z
    ._default(domain, defaultGcp.registryDomain)
    .check(z.describe('Where that universe’s Artifact Registry is, e.g. `s3nsregistry.fr`.')),
  endpoints: z
    ._default(GcpEndpoints, defaultGcp.endpoints)
    .check(z.describe('Hosts to ask in place of the public ones, for instance those of Private Service Connect.')),
});

const audience = z.string().check(z.regex(/^[a-z]+:\/\/[\w./-]+$/, 'must be a URI without a scope behind it'));
const annotationKeys = z.array(annotationKey).check(z.minLength(1, 'needs at least one key'));

const Azure = z.strictObject({
  clientIdAnnotations: z
    ._default(annotationKeys, defaultAzure.clientIdAnnotations)
    .check(
      z.describe('Service account annotations that may name the client id to log in as; the first one present wins.'),
    ),
  tenantIdAnnotations: z
    ._default(annotationKeys, defaultAzure.tenantIdAnnotations)
    .check(z.describe('The same for the tenant of that client id.')),
  tenantId: z.optional(
    z
      .string()
      .check(
        z.regex(/^[0-9a-zA-Z][0-9a-zA-Z.-]*[0-9a-zA-Z]$/, 'must be a tenant id or a domain of the tenant'),
        z.describe('The tenant of service accounts that name none; else `AZURE_TENANT_ID`.'),
      ),
  ),
  authorityHost: z.optional(
    httpsUrl.check(
      z.describe(
        'Where Entra is asked, for an Azure that is not in the host table; `AZURE_AUTHORITY_HOST` goes before it.',
      ),
    ),
  ),
  registrySuffixes: z
    ._default(z.array(domain), defaultAzure.registrySuffixes)
    .check(z.describe('What follows the name of a registry in such an Azure, for instance `azurecr.example.com`.')),
  registryAudience: z
    ._default(audience, defaultAzure.registryAudience)
    .check(z.describe('The audience of tokens that registries accept there.')),
  exchangeAudience: z.optional(
    audience.check(z.describe('The audience of tokens that Entra accepts there as proof of who an application is.')),
  ),
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
  gcp: z._default(Gcp, defaultConfig.gcp).check(z.describe('What is Google’s own.')),
  azure: z._default(Azure, defaultConfig.azure).check(z.describe('What is Azure’s own.')),
  static: z._default(Static, defaultConfig.static).check(z.describe('What is no cloud’s.')),
});
export type Config = z.infer<typeof Config>;
