import type { Addresses, Site } from '../site.ts';
import type { ProductionHost } from './hosts.ts';
import { hostsOf } from './hosts.ts';

/** AWS with the API hosts of these regions. The name of a region implies its partition. */
export function awsSite(regions: readonly [string, ...string[]]): Site<'aws'> {
  const hosts = regions.flatMap(hostsOf);
  const imds = { service: 'imds', addresses: metadataAddresses, tls: false, ownMachinesOnly: true, hosts: [] };
  const services = Object.entries(serviceAddresses).map(([service, addresses]) => ({
    service,
    addresses,
    tls: true,
    ownMachinesOnly: false,
    hosts: hosts.filter((host) => host.service === service).map(({ name, dualStack }) => nameOf(name, dualStack)),
  }));
  return { cloud: 'aws', services: [imds, ...services] };
}

const metadataAddresses: Addresses = { 4: '169.254.169.254', 6: 'fd00:ec2::254' };

const serviceAddresses: Readonly<Record<ProductionHost['service'], Addresses>> = {
  ec2: { 4: '10.200.0.4', 6: 'fd00:200::4' },
  ecr: { 4: '10.200.0.1', 6: 'fd00:200::1' },
  'ecr-public': { 4: '10.200.0.2', 6: 'fd00:200::2' },
  sts: { 4: '10.200.0.3', 6: 'fd00:200::3' },
};

/** As in AWS itself, only the dual-stack host names have an address of IPv6. */
function nameOf(name: string, dualStack: boolean): Site<'aws'>['services'][number]['hosts'][number] {
  return { name, ipVersions: dualStack ? [6, 4] : [4] };
}
