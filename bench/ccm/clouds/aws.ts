import { fleetOf } from '../../../test/lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../test/lab/clouds/aws/ec2-instance.ts';
import { aws as definition } from '../../../test/lab/clouds/aws/cloud.ts';
import type { RecordedRequest } from '../../../test/lab/clouds/request-log.ts';
import { runOnLoopback } from '../../../test/lab/clouds/loopback.ts';
import { awsVariables, loopbackRegion } from '../../../test/lab/loopback-clouds.ts';
import type { BenchInstance } from '../../harness/node-drafts.ts';
import type { StartBenchCloud } from './cloud.ts';

const clusterName = 'bench';
/** All that any of the contenders asks for. */
const permissions = ['ec2:DescribeInstances', 'ec2:DescribeAvailabilityZones', 'ec2:DescribeInstanceTopology'];

export const startAws: StartBenchCloud = async () => {
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  const env = awsVariables(aws);
  return {
    name: 'aws',
    env,
    peer: { program: 'aws-cloud-controller-manager', env, cloudConfig: peerConfig(aws.url('ec2')) },
    limits: { cloudCalls: 10, ofDefaultPeer: 0.06, ofTunedPeer: 0.85, processorOfTunedPeer: 1.4 },
    launchFleet: async (count, number) => {
      const fleet = fleetWith(count, number);
      await aws.reset();
      await aws.update({
        users: { 'lab-user': { id: 'AIDALABUSER0000000000', permissions } },
        ec2Instances: Object.fromEntries(fleet.map((instance) => [instance.instanceId, instance])),
      });
      return fleet.map(benchInstance);
    },
    setLatency: (delayMs) => aws.addFault({ kind: 'delay', service: 'ec2', delayMs }),
    requests: aws.requests,
    operationOf: awsOperation,
    stop: aws.stop,
  };
};

/** Each has a second address, as where pods get theirs from the VPC. */
function fleetWith(count: number, number: number): readonly Ec2Instance[] {
  const launchedAtMs = Date.now() - 3_600_000;
  const zoneLetters = ['a', 'b', 'c'];
  const accountId = '123456789012';
  const fleet = fleetOf({ count, number, region: loopbackRegion, zoneLetters, launchedAtMs, accountId });
  const tags = { [`kubernetes.io/cluster/${clusterName}`]: 'owned' };
  return Object.values(fleet).map((instance) => ({ ...withSecondAddress(instance), tags }));
}

/** Fleets have numbers below 100, so no instance has these ids. */
function withSecondAddress(instance: Ec2Instance): Ec2Instance {
  const interfaces = instance.interfaces.map((each) => {
    const [first = ''] = each.privateIps;
    return { ...each, privateIps: [first, first.replace(/^10\.(\d+)/, (_all, fleet) => `10.${Number(fleet) + 100}`)] };
  });
  return { ...instance, interfaces };
}

function benchInstance({ privateDnsName, zone, instanceId }: Ec2Instance): BenchInstance {
  return {
    name: privateDnsName,
    providerId: `aws:///${zone}/${instanceId}`,
    systemUuid: `ec2${instanceId.slice(2)}`,
  };
}

/** The metadata service is no API. */
export function awsOperation({ service, body }: Pick<RecordedRequest, 'service' | 'body'>): string | undefined {
  return service === 'imds' ? undefined : (new URLSearchParams(body).get('Action') ?? service);
}

/** As a controller outside of AWS is configured; else it insists on finding itself among the instances. */
function peerConfig(ec2Url: string): string {
  return `[Global]
Region = ${loopbackRegion}
Zone = ${loopbackRegion}a
VPC = vpc-0123456789abcdef0
SubnetID = subnet-0123456789abcdef0
KubernetesClusterID = ${clusterName}
[ServiceOverride "1"]
Service = EC2
Region = ${loopbackRegion}
URL = ${ec2Url}
SigningRegion = ${loopbackRegion}
`;
}
