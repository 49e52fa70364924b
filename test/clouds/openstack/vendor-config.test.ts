import t from 'tap';
import { testVendorConfigs } from '../vendor-config.ts';

const vendors = "# only the vendor's controller uses, for load balancers, routes and volumes:";

await testVendorConfigs(t, /format of the OpenStack cloud provider \(INI\), not in ours$/, [
  {
    name: 'a file with an application credential',
    text: `[Global]
auth-url = https://keystone.example.com/v3
application-credential-id = 0123
application-credential-secret = "hidden"
region = RegionOne
tls-insecure = false

[Networking]
public-network-name = public
public-network-name = dmz
internal-network-name = nodes
address-sort-order = 10.0.0.0/8, fd00::/8
ipv6-support-disabled = true

[LoadBalancer]
use-octavia = true
floating-network-id = a

[Metadata]
search-order = configDrive,metadataService
`,
    lines: [
      'openstack:',
      '  region: RegionOne',
      '  publicNetworks:',
      '    - public',
      '    - dmz',
      '  internalNetworks:',
      '    - nodes',
      '  addressSortOrder:',
      '    - 10.0.0.0/8',
      '    - fd00::/8',
      '  ipv6: false',
      '# auth-url: set the environment variable OS_AUTH_URL=https://keystone.example.com/v3',
      '# application-credential-id: set the environment variable OS_APPLICATION_CREDENTIAL_ID=0123',
      '# application-credential-secret: a secret, not shown here; set the environment variable OS_APPLICATION_CREDENTIAL_SECRET to it',
      `${vendors} use-octavia, floating-network-id`,
      '# not needed: tls-insecure, search-order',
    ],
  },
  {
    name: 'a file that names an entry of clouds.yaml, and settings that are not supported',
    text: '[Global]\nuse-clouds = true\nclouds-file = /etc/openstack/clouds.yaml\ncloud = prod\ntls-insecure = true\ncert-file = /a\n[Route]\nrouter-id = 3b8a5e0c-6f0d-4f5c-9f0e-2a1b3c4d5e6f\n',
    lines: [
      'openstack:',
      '  cloudsFile: /etc/openstack/clouds.yaml',
      '  scopes:',
      '    - name: default',
      '      cloud: prod',
      '  routerId: 3b8a5e0c-6f0d-4f5c-9f0e-2a1b3c4d5e6f',
      '# not needed: use-clouds',
      '# tls-insecure has no counterpart',
      '# cert-file has no counterpart',
    ],
  },
]);
