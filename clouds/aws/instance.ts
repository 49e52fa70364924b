import type { Instance, NodeFacts } from '../cloud.ts';
import type { IpFamily } from './config.ts';
import type { DescribedInstance } from './described-instance.ts';
import { addressesOf } from './addresses.ts';
import { formatProviderId, regionOfZone } from './provider-id.ts';

/** What both EC2 and the instance's own metadata tell. */
export type InstanceDescription = Omit<DescribedInstance, 'ownerId' | 'state'>;

const zoneIdLabel = 'topology.k8s.aws/zone-id';

/** The same from either source, so that the controller and an agent never undo each other's work. */
export function toInstance(
  described: InstanceDescription,
  node: Pick<NodeFacts, 'nodeIps'>,
  families: readonly IpFamily[],
): Instance {
  const { instanceId, type, zone, zoneId } = described;
  const region = zone === undefined ? undefined : regionOfZone(zone);
  return {
    providerId: formatProviderId(instanceId, zone),
    ...(type !== undefined && { type }),
    ...(region !== undefined && { region }),
    ...(zone !== undefined && { zone }),
    addresses: addressesOf(described, families, node),
    labels: zoneId === undefined ? {} : { [zoneIdLabel]: zoneId },
  };
}
