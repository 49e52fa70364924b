import * as z from 'zod/mini';
import { openstackDefaults } from './openstack.defaults.ts';
import { absolutePath, name } from './formats.ts';

const region = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?$/,
      'must be a region such as RegionOne: letters, digits, hyphens, dots and underscores',
    ),
  );

const routerId = z
  .string()
  .check(
    z.regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, 'must be the id of a router'),
    z.meta({ examples: ['3b8a5e0c-6f0d-4f5c-9f0e-2a1b3c4d5e6f'] }),
  );

const OpenstackScope = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens'),
      z.describe('Its name in logs and metrics.'),
      z.meta({ examples: ['prod'] }),
    ),
  cloud: z.optional(
    name.check(
      z.describe('The entry of clouds.yaml with its credentials. Without one, `OS_CLOUD` or `OS_*` apply.'),
      z.meta({ examples: ['prod'] }),
    ),
  ),
  region: z.optional(
    region.check(z.describe('Its region. Without one, `region` applies.'), z.meta({ examples: ['RegionOne'] })),
  ),
  projectId: z.optional(
    z
      .string()
      .check(
        z.regex(/^[0-9A-Za-z-]{1,64}$/, 'must be the id of a project, not its name'),
        z.describe(
          'The project’s id. Credentials of another project are then refused, and deletions are safe after a restart even if no node of the scope is left.',
        ),
        z.meta({ examples: ['0123456789abcdef0123456789abcdef'] }),
      ),
  ),
  routerId: z.optional(routerId.check(z.describe('Its router for pods. Without one, `routerId` applies.'))),
});

const networkNames = z.array(name);

const OpenstackSettings = z.strictObject({
  cloudsFile: z.optional(
    absolutePath.check(
      z.describe('The clouds.yaml to use. A secure.yaml beside it is read too.'),
      z.meta({ examples: ['/etc/polycloud/openstack/clouds.yaml'] }),
    ),
  ),
  region: z.optional(
    region.check(
      z.describe(
        'The region of the nodes. Without it, the controller uses `OS_REGION_NAME`, the region in clouds.yaml, or the only region of the catalog. Agents know no other.',
      ),
      z.meta({ examples: ['RegionOne'] }),
    ),
  ),
  routerId: z.optional(routerId.check(z.describe('The router that gets the routes to pods.'))),
  scopes: z
    ._default(
      z
        .array(OpenstackScope)
        .check(z.refine((all) => noRepeats(all.map((each) => each.name)), 'has two entries with the same `name`')),
      openstackDefaults.scopes,
    )
    .check(
      z.describe(
        'Projects and regions of the nodes’ servers. Without them, there is one: that of `OS_CLOUD`, of `OS_*`, or of the only entry of clouds.yaml.',
      ),
    ),
  regionInProviderId: z
    ._default(z.boolean(), openstackDefaults.regionInProviderId)
    .check(
      z.describe(
        'New Nodes get the providerID `openstack://REGION/ID` instead of `openstack:///ID`, as with `OS_CCM_REGIONAL=true` of OpenStack’s own controller. With several regions, a Node is then looked up in its own.',
      ),
    ),
  publicNetworks: z
    ._default(networkNames, openstackDefaults.publicNetworks)
    .check(z.describe('Names of networks whose addresses are external ones.'), z.meta({ examples: [['public']] })),
  internalNetworks: z
    ._default(networkNames, openstackDefaults.internalNetworks)
    .check(
      z.describe(
        'Names of the networks whose addresses are internal ones. Empty: all. Addresses of others are left out.',
      ),
      z.meta({ examples: [['nodes']] }),
    ),
  addressSortOrder: z
    ._default(
      z.array(z.union([z.cidrv4(), z.cidrv6()], 'must be an address range such as 10.0.0.0/8')),
      openstackDefaults.addressSortOrder,
    )
    .check(
      z.describe('Address ranges. Addresses in them come first, in this order.'),
      z.meta({ examples: [['10.0.0.0/8']] }),
    ),
  configDrive: z.optional(
    absolutePath.check(
      z.describe(
        'Where the config drive of the node is mounted. An agent then reads it instead of the metadata service, and knows no external addresses.',
      ),
      z.meta({ examples: ['/mnt/config'] }),
    ),
  ),
  ipv6: z._default(z.boolean(), openstackDefaults.ipv6).check(z.describe('Whether Nodes get their IPv6 addresses.')),
});

export const OpenstackConfig = z
  ._default(OpenstackSettings, openstackDefaults)
  .check(z.describe('Settings for OpenStack.'));
export type OpenstackConfig = z.infer<typeof OpenstackConfig>;
/** A project in a region, and the credentials for look-ups in it. */
export type OpenstackScopeConfig = OpenstackConfig['scopes'][number];

function noRepeats(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}
