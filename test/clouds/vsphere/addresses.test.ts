import { gzipSync } from 'node:zlib';
import t from 'tap';
import { needsOrder, selectAddresses } from '../../../clouds/vsphere/addresses.ts';
import { staticAddresses } from '../../../clouds/vsphere/static-addresses.ts';
import type { GuestNic } from '../../../clouds/vsphere/vm.ts';
import { vsphereDefaults } from '../../../schemas/config/vsphere.defaults.ts';
import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';

interface Given {
  readonly nics: readonly (readonly [network: string, ...addresses: string[]])[];
  readonly rules?: Partial<VsphereConfig['addresses']>;
  readonly families?: VsphereConfig['ipFamilies'];
  readonly hostName?: string;
  readonly fixed?: readonly string[];
}

/** As `internal 10.0.0.1 external 10.0.0.2`. */
function select({ nics, rules, families = ['ipv4'], hostName = '', fixed = [] }: Given): string | undefined {
  const config = { ipFamilies: families, addresses: { ...vsphereDefaults.addresses, ...rules } };
  const source = { hostName, nics: nics.map(nicOf), staticAddresses: fixed };
  const names: Readonly<Record<string, string>> = { InternalIP: 'internal', ExternalIP: 'external', Hostname: 'name' };
  return selectAddresses(source, config)
    ?.map(({ type, address }) => `${names[type]} ${address}`)
    .join(' ');
}

function nicOf([network, ...addresses]: Given['nics'][number]): GuestNic {
  return {
    network: network.replace(/^not virtual: /, ''),
    isVirtualCard: !network.startsWith('not virtual'),
    addresses,
  };
}

const twoNics = [
  ['VM Network', '10.1.0.5', 'fd00::5'],
  ['Public', '203.0.113.5'],
] as const;

const cases: readonly (Given & { readonly name: string; readonly expected: string | undefined })[] = [
  {
    name: 'the first address is internal and external',
    nics: twoNics,
    expected: 'internal 10.1.0.5 external 10.1.0.5',
  },
  {
    name: 'the host name comes first',
    nics: twoNics,
    hostName: 'node-1',
    expected: 'name node-1 internal 10.1.0.5 external 10.1.0.5',
  },
  {
    name: 'networks decide first, in their order',
    nics: twoNics,
    rules: { internalNetworks: ['192.168.0.0/16', '203.0.113.0/24', '10.0.0.0/8'], externalNetworkName: 'VM Network' },
    expected: 'internal 203.0.113.5 external 10.1.0.5',
  },
  {
    name: 'names of networks decide next, in any case',
    nics: twoNics,
    rules: { internalNetworkName: 'public', externalNetworkName: 'vm network' },
    expected: 'internal 203.0.113.5 external 10.1.0.5',
  },
  {
    name: 'if one rule finds an address, the first address is not used for the other',
    nics: twoNics,
    rules: { internalNetworks: ['10.0.0.0/8'] },
    expected: 'internal 10.1.0.5',
  },
  {
    name: 'excluded addresses are never chosen',
    nics: [['VM Network', '10.1.255.1', '10.1.0.5']],
    rules: { excludedFromInternal: ['10.1.255.0/24'], excludedFromExternal: ['10.0.0.0/8'] },
    expected: 'internal 10.1.0.5',
  },
  {
    name: 'cards of software, loopback, link-local and unspecified addresses do not count',
    nics: [
      ['not virtual: docker0', '172.17.0.1'],
      ['VM Network', '127.0.0.1', '169.254.3.3', '0.0.0.0', 'no address', 'fe80::1', '10.1.0.5'],
    ],
    expected: 'internal 10.1.0.5 external 10.1.0.5',
  },
  {
    name: 'both families',
    nics: twoNics,
    families: ['ipv6', 'ipv4'],
    expected: 'internal fd00::5 external fd00::5 internal 10.1.0.5 external 10.1.0.5',
  },
  { name: 'each family needs an address', nics: [['', '10.1.0.5']], families: ['ipv4', 'ipv6'], expected: undefined },
  { name: 'no address', nics: [], expected: undefined },
  {
    name: 'addresses that cloud-init sets come before others, in its order',
    nics: [['VM Network', '10.1.0.100', '10.1.0.5', '10.1.0.6']],
    fixed: ['10.1.0.6', '10.1.0.5'],
    expected: 'internal 10.1.0.6 external 10.1.0.6',
  },
  {
    name: 'an IPv6 address has many spellings',
    nics: [['VM Network', 'fd00::1', 'fd00::2']],
    families: ['ipv6'],
    fixed: ['fd00:0::0:2'],
    expected: 'internal fd00::2 external fd00::2',
  },
];

for (const { name, expected, ...given } of cases) {
  await t.test(name, (t) => {
    t.equal(select(given), expected);
    t.end();
  });
}

await t.test('the order matters if a family has several addresses', (t) => {
  t.equal(needsOrder([nicOf(['', '10.1.0.5', 'fd00::5'])]), false);
  t.equal(needsOrder([nicOf(['', '10.1.0.5', '10.1.0.6'])]), true);
  t.equal(needsOrder([nicOf(['', '10.1.0.5']), nicOf(['not virtual: x', '172.17.0.1'])]), false);
  t.end();
});

await t.test('addresses of cloud-init are read in each of its encodings', (t) => {
  const network =
    'ethernets:\n  eth0: { set-name: eth0, addresses: [10.1.0.6/24, "fd00::6/64"] }\n  eth1: { dhcp4: true }\n';
  const base64 = (text: string | Buffer): string => Buffer.from(text).toString('base64');
  const read = (metadata: string, encoding = 'base64'): readonly string[] =>
    staticAddresses(
      new Map([
        ['guestinfo.metadata', metadata],
        ['guestinfo.metadata.encoding', encoding],
      ]),
    );
  const expected = ['10.1.0.6', 'fd00::6'];
  t.strictSame(read(base64(`network:\n${network.replaceAll(/^/gm, '  ')}`)), expected);
  t.strictSame(read(base64(`network: ${base64(network)}\nnetwork.encoding: b64\n`)), expected);
  t.strictSame(read(base64(`network: ${base64(gzipSync(network))}\nnetwork.encoding: gzip+base64\n`)), expected);
  t.strictSame(read(base64(`network: ${base64('no gzip')}\nnetwork.encoding: gz+b64\n`)), []);
  t.strictSame(read(base64('[')), []);
  t.strictSame(read(base64('network: 5')), []);
  t.strictSame(read(base64('network:\n  ethernets: { eth0: { addresses: [dhcp] } }')), []);
  t.strictSame(read('', 'plain'), []);
  t.strictSame(staticAddresses(new Map()), []);
  t.end();
});
