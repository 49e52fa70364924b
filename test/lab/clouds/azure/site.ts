import type { Site, SiteService } from '../site.ts';

/** Azure with these registries, and Entra in each of its clouds and under the names that are given besides. */
export function azureSite(registries: readonly string[], authorities: readonly string[]): Site<'azure'> {
  return {
    cloud: 'azure',
    services: [
      { service: 'imds', addresses: { 4: '169.254.169.254' }, tls: false, ownMachinesOnly: true, hosts: [] },
      service('entra', '1', [...productionAuthorities, ...authorities]),
      service('registry', '2', registries),
      service('resource-manager', '3', productionManagers),
    ],
  };
}

const productionAuthorities = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.chinacloudapi.cn',
  'login.microsoftonline.de',
];

const productionManagers = [
  'management.azure.com',
  'management.usgovcloudapi.net',
  'management.chinacloudapi.cn',
  'management.microsoftazure.de',
];

function service(name: string, last: string, hosts: readonly string[]): SiteService {
  return {
    service: name,
    addresses: { 4: `10.201.0.${last}`, 6: `fd00:201::${last}` },
    tls: true,
    ownMachinesOnly: false,
    hosts: hosts.map((host) => ({ name: host, ipVersions: [6, 4] })),
  };
}
