import { selectInstances } from './ec2-describe.ts';
import type { Ec2Context } from './ec2-describe.ts';
import { valuesOf } from './ec2-filters.ts';
import type { Ec2Instance } from './ec2-instance.ts';
import type { Ec2Error } from './ec2-protocol.ts';
import type { XmlTree } from './query-protocol.ts';

const idsMax = 100;

/**
 * By ids only, as node controllers ask. What is not running, or of a type that has none, is left out.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTopology.html
 */
export function describeTopology(
  input: Readonly<Record<string, string>>,
  context: Ec2Context,
): { tree: XmlTree } | Ec2Error {
  const ids = valuesOf(input, 'InstanceId');
  if (ids.length === 0 || ids.length > idsMax) {
    const message = `Between 1 and ${String(idsMax)} instance ids are understood here`;
    return { status: 400, code: 'InvalidParameterValue', message };
  }
  const chosen = selectInstances(input, context);
  if ('code' in chosen) return chosen;
  const shown = chosen.filter(({ state, instanceType }) => state === 'running' && withTopology.test(instanceType));
  return { tree: { instanceSet: shown.map(topologyOf) } };
}

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-topology-prerequisites.html, by families. */
const withTopology = /^(?:g6e|g7e|hpc\d|p3dn|p[4-9]|trn)/;

/** The layers from the outermost in; instances of a zone share the first. */
function topologyOf({ instanceId, instanceType, zone, zoneId }: Ec2Instance): XmlTree {
  const rack = instanceId.slice(-3);
  return {
    instanceId,
    instanceType,
    networkNodeSet: [`nn-${zoneId}`, `nn-${zoneId}-${rack.slice(0, 1)}`, `nn-${zoneId}-${rack.slice(0, 2)}`],
    availabilityZone: zone,
    zoneId,
  };
}
