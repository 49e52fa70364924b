import type { Ec2Context } from './ec2-describe.ts';
import type { Ec2Error } from './ec2-protocol.ts';
import type { XmlTree } from './query-protocol.ts';

/**
 * The zones of the region in which somebody has an instance; narrowing the question is not understood here.
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeAvailabilityZones.html
 */
export function describeZones(
  input: Readonly<Record<string, string>>,
  context: Ec2Context,
): { tree: XmlTree } | Ec2Error {
  const unknownParameter = Object.keys(input).find((name) => !['Action', 'Version'].includes(name));
  if (unknownParameter !== undefined) {
    return { status: 400, code: 'UnknownParameter', message: `The parameter ${unknownParameter} is not recognized` };
  }
  const instances = Object.values(context.state.ec2Instances).filter(({ region }) => region === context.region);
  const zones = new Map(instances.map(({ zone, zoneId }) => [zone, zoneId]));
  return { tree: { availabilityZoneInfo: [...zones].map(([zone, zoneId]) => zoneOf(zone, zoneId, context.region)) } };
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
