import * as z from 'zod/mini';
import { absolutePath, name } from './formats.ts';
import { vsphereDefaults } from './vsphere.defaults.ts';

const thumbprint = z
  .string()
  .check(
    z.regex(
      /^[0-9A-Fa-f]{2}(?::?[0-9A-Fa-f]{2}){19}(?:(?::?[0-9A-Fa-f]{2}){12})?$/,
      'must be the SHA-256 or SHA-1 of the certificate: 32 or 20 pairs of hexadecimal digits',
    ),
  );

const Vcenter = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/, 'must be lower-case letters, digits and hyphens'),
      z.describe('Its name in logs, metrics and the label `polycloud.dev/vsphere-vcenter`.'),
      z.meta({ examples: ['main'] }),
    ),
  server: z.string().check(
    z.regex(
      /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/,
      'must be a host name or address, with a port or without',
    ),
    z.refine((text) => URL.canParse(`https://${text}`), 'has a host or a port that does not exist'),
    z.describe('The host of its API, with a port if it is not 443.'),
    z.meta({ examples: ['vcenter.example.com'] }),
  ),
  datacenters: z.optional(
    z
      .array(name)
      .check(
        z.minLength(1, 'needs at least one'),
        z.describe('The inventory paths of the datacenters with nodes. Without them, all that the account can see.'),
        z.meta({ examples: [['DC-West']] }),
      ),
  ),
  usernameFile: z.optional(
    absolutePath.check(
      z.describe(
        'A file with the user name, read at each login. Default: `SERVER.username` in `vsphere.secretsDirectory`.',
      ),
      z.meta({ examples: ['/etc/polycloud/vcenter/username'] }),
    ),
  ),
  passwordFile: z.optional(
    absolutePath.check(
      z.describe('A file with the password. Default: `SERVER.password` in `vsphere.secretsDirectory`.'),
      z.meta({ examples: ['/etc/polycloud/vcenter/password'] }),
    ),
  ),
  caFile: z.optional(
    absolutePath.check(
      z.describe('A file of PEM certificates of the authorities to trust for this vCenter, instead of all others.'),
      z.meta({ examples: ['/etc/polycloud/vcenter-ca.pem'] }),
    ),
  ),
  thumbprint: z.optional(
    thumbprint.check(
      z.describe(
        'The SHA-256 or SHA-1 of its certificate. No other certificate is accepted then, and its signature is not checked.',
      ),
      z.meta({
        examples: ['5A:27:3C:11:94:0B:8E:66:D2:F0:71:3A:4D:52:9E:01:B7:C8:6F:2D:35:90:E4:AB:17:6C:08:FD:43:5B:99:20'],
      }),
    ),
  ),
});

const network = z.union([z.cidrv4(), z.cidrv6()], 'must be a network such as 10.1.0.0/16');
const networks = z._default(z.array(network), []);

const AddressSelection = z.strictObject({
  internalNetworks: networks.check(
    z.describe('The internal address is the first one in these networks, in their order.'),
    z.meta({ examples: [['10.1.0.0/16']] }),
  ),
  externalNetworks: networks.check(
    z.describe('The same for the external address.'),
    z.meta({ examples: [['203.0.113.0/24']] }),
  ),
  excludedFromInternal: networks.check(
    z.describe('Addresses in these networks are never internal ones, for instance those of virtual IPs.'),
    z.meta({ examples: [['10.1.255.0/24']] }),
  ),
  excludedFromExternal: networks.check(
    z.describe('The same for external addresses.'),
    z.meta({ examples: [['203.0.113.240/28']] }),
  ),
  internalNetworkName: z.optional(
    name.check(
      z.describe('The port group whose first address is the internal one, if no network decides.'),
      z.meta({ examples: ['VM Network'] }),
    ),
  ),
  externalNetworkName: z.optional(
    name.check(z.describe('The same for the external address.'), z.meta({ examples: ['DMZ'] })),
  ),
});

const TagCategories = z.strictObject({
  zone: z.optional(name.check(z.describe('The category whose tags name zones.'), z.meta({ examples: ['k8s-zone'] }))),
  region: z.optional(
    name.check(z.describe('The category whose tags name regions.'), z.meta({ examples: ['k8s-region'] })),
  ),
});

const VsphereSettings = z.strictObject({
  vcenters: z
    ._default(
      z.array(Vcenter).check(
        z.refine((all) => areDistinct(all.map((each) => each.name)), 'has two entries with the same `name`'),
        z.refine((all) => areDistinct(all.map((each) => each.server)), 'has two entries with the same `server`'),
      ),
      vsphereDefaults.vcenters,
    )
    .check(z.describe('The vCenters of the nodes’ virtual machines.')),
  secretsDirectory: z.optional(
    absolutePath.check(
      z.describe('A mounted Secret with `SERVER.username` and `SERVER.password` of each vCenter, read at each login.'),
      z.meta({ examples: ['/etc/polycloud/vsphere'] }),
    ),
  ),
  tagCategories: z
    ._default(TagCategories, vsphereDefaults.tagCategories)
    .check(z.describe('Where zones and regions come from. Without them Nodes get neither.')),
  ipFamilies: z
    ._default(z.array(z.enum(['ipv4', 'ipv6'])).check(z.minLength(1, 'needs at least one')), vsphereDefaults.ipFamilies)
    .check(z.describe('The address families of Nodes. Each needs an address.')),
  addresses: z
    ._default(AddressSelection, vsphereDefaults.addresses)
    .check(
      z.describe(
        'Which addresses of a virtual machine its Node gets. By default the first, as internal and external one.',
      ),
    ),
});

export const VsphereConfig = z._default(VsphereSettings, vsphereDefaults).check(z.describe('Settings for vSphere.'));
export type VsphereConfig = z.infer<typeof VsphereConfig>;
export type VcenterConfig = VsphereConfig['vcenters'][number];
export type VsphereIpFamily = VsphereConfig['ipFamilies'][number];

function areDistinct(texts: readonly string[]): boolean {
  return new Set(texts).size === texts.length;
}
