import type { View } from './ec2-describe.ts';
import type { Ec2Refusal } from './ec2-protocol.ts';
import type { XmlTree } from './query-protocol.ts';

/**
 * The zones of the region in which somebody has an instance; narrowing the question is not understood here.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
 */
export function describeZones(input: Readonly<Record<string, string>>, view: View): { tree: XmlTree } | Ec2Refusal {
  const narrowing = Object.keys(input).find((name) => !['Action', 'Version'].includes(name));
  if (narrowing !== undefined) {
    return { status: 400, code: 'UnknownParameter', message: `The parameter ${narrowing} is not recognized` };
  }
  const instances = Object.values(view.state.ec2Instances).filter(({ region }) => region === view.region);
  const zones = new Map(instances.map(({ zone, zoneId }) => [zone, zoneId]));
  return { tree: { availabilityZoneInfo: [...zones].map(([zone, zoneId]) => zoneOf(zone, zoneId, view.region)) } };
}

function zoneOf(zoneName: string, zoneId: string, regionName: string): XmlTree {
  return {
    optInStatus: 'opt-in-not-required',
    messageSet: [],
    zoneId,
    groupName: `${regionName}-zg-1`,
    zoneName,
    zoneState: 'available',
    zoneType: 'availability-zone',
    regionName,
    networkBorderGroup: regionName,
  };
}
