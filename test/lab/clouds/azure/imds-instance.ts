import { isIPv6 } from 'node:net';
import type { LabResponse } from '../cloud.ts';
import type { Machine } from './machine.ts';
import type { AzureState } from './state.ts';
import { json } from './tokens.ts';

const newest = ['2021-12-13', '2021-11-15', '2021-11-01'];
const known = [...newest, '2021-10-01', '2021-02-01', '2020-10-01', '2020-09-01', '2019-08-15'];

/** As much of it as describes a node; fields as in https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service */
export function instanceDocument(query: URLSearchParams, { machine }: AzureState): LabResponse {
  if (!known.includes(query.get('api-version') ?? '')) return unknownVersion();
  const { subscriptionId, resourceGroup, name, vmId, vmSize, location, zone, environment, scaleSet } = machine;
  return json(200, {
    compute: {
      azEnvironment: environment,
      location,
      name,
      platformFaultDomain: machine.faultDomain,
      platformSubFaultDomain: machine.subFaultDomain,
      resourceGroupName: resourceGroup,
      resourceId: resourceIdOf(machine),
      subscriptionId,
      tags: '',
      vmId,
      vmScaleSetName: scaleSet?.name ?? '',
      vmSize,
      zone,
    },
    network: { interface: interfacesOf(machine) },
  });
}

function resourceIdOf({ subscriptionId, resourceGroup, name, scaleSet }: Machine): string {
  const compute = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.Compute`;
  return scaleSet
    ? `${compute}/virtualMachineScaleSets/${scaleSet.name}/virtualMachines/${scaleSet.number}`
    : `${compute}/virtualMachines/${name}`;
}

function interfacesOf({ privateIp, publicIp, ipv6, moreInterfaces }: Machine): readonly object[] {
  const more = moreInterfaces.map((each, index) => networkInterface(index + 1, each.ipv4, '', each.ipv6));
  return [networkInterface(0, privateIp, publicIp ?? '', ipv6), ...more];
}

function networkInterface(index: number, ipv4: string, publicIp: string, ipv6: string | null | undefined): object {
  const subnet = [{ address: ipv4.replace(/\.\d+$/, '.0'), prefix: '24' }];
  return {
    ipv4: { ipAddress: ipv4 === '' ? [] : [{ privateIpAddress: ipv4, publicIpAddress: publicIp }], subnet },
    ipv6: { ipAddress: ipv6 ? [{ privateIpAddress: ipv6 }] : [] },
    macAddress: `000D3A11111${index}`,
  };
}

/** https://learn.microsoft.com/azure/load-balancer/howto-load-balancer-imds and, for the error, troubleshoot-load-balancer-imds */
export function loadBalancerDocument(query: URLSearchParams, { machine }: AzureState): LabResponse {
  if (query.get('api-version') !== '2020-10-01') return unknownVersion();
  if (machine.publicIps === null) {
    const error =
      'No load balancer metadata is found. Please check if your VM is using any non-basic SKU load balancer and retry later.';
    return json(404, { error });
  }
  const publicIpAddresses = machine.publicIps.map((each) => ({
    frontendIpAddress: bracketed(each.frontend),
    privateIpAddress: bracketed(each.private),
  }));
  return json(200, { loadbalancer: { publicIpAddresses, inboundRules: [], outboundRules: [] } });
}

function bracketed(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}

function unknownVersion(): LabResponse {
  return json(400, { error: 'Bad request. api-version is invalid or was not specified', 'newest-versions': newest });
}
