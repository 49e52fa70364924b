import type { LabResponse } from '../cloud.ts';
import type { AzureState } from './state.ts';
import { json } from './tokens.ts';

const newest = ['2021-12-13', '2021-11-15', '2021-11-01'];
const known = [...newest, '2021-10-01', '2021-02-01', '2020-09-01', '2019-08-15'];

/** As much of it as describes a node; fields as in https://learn.microsoft.com/azure/virtual-machines/instance-metadata-service */
export function instanceDocument(query: URLSearchParams, { machine }: AzureState): LabResponse {
  if (!known.includes(query.get('api-version') ?? '')) {
    return json(400, { error: 'Bad request. api-version is invalid or was not specified', 'newest-versions': newest });
  }
  const { subscriptionId, resourceGroup, name, vmId, vmSize, location, zone, environment, privateIp } = machine;
  const group = `/subscriptions/${subscriptionId}/resourceGroups/${resourceGroup}`;
  const resourceId = `${group}/providers/Microsoft.Compute/virtualMachines/${name}`;
  const address = { privateIpAddress: privateIp, publicIpAddress: '' };
  const subnet = [{ address: privateIp.replace(/\.\d+$/, '.0'), prefix: '24' }];
  return json(200, {
    compute: {
      azEnvironment: environment,
      location,
      name,
      resourceGroupName: resourceGroup,
      resourceId,
      subscriptionId,
      tags: '',
      vmId,
      vmScaleSetName: '',
      vmSize,
      zone,
    },
    network: {
      interface: [{ ipv4: { ipAddress: [address], subnet }, ipv6: { ipAddress: [] }, macAddress: '000D3A111111' }],
    },
  });
}
