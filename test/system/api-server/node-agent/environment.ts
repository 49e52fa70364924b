import type { Test } from 'tap';
import { createAwsNetwork } from '../../../lab/aws-network.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { initialAwsState } from '../../../lab/clouds/aws/state.ts';
import type { AwsState } from '../../../lab/clouds/aws/state.ts';
import type { LabCloud } from '../../../lab/clouds/lab-cloud.ts';
import { sharedControlPlaneFor } from '../../../lab/control-plane/for-test.ts';
import { findPrograms } from '../../../lab/control-plane/find-programs.ts';
import type { SharedControlPlane } from '../../../lab/control-plane/shared.ts';
import type { Support } from '../../../lab/requires.ts';
import { namespaceSupport } from '../../../lab/network/support.ts';
import { connectMachine } from './machine-environment.ts';
import type { MachineEnvironment } from './machine-environment.ts';

/** A machine of AWS at its production addresses, and a real API server that it can reach. */
export interface AgentTestEnvironment extends MachineEnvironment {
  readonly aws: LabCloud<AwsState>;
}

/** Inside the namespace for the agent, outside for the API server and for a controller. */
export async function environmentSupport(): Promise<Support> {
  const programs = await findPrograms();
  return programs.available ? namespaceSupport() : programs;
}

export async function startAgentEnvironment(t: Test): Promise<AgentTestEnvironment> {
  return startMachineEnvironment(t, await sharedControlPlaneFor(t));
}

export async function startMachineEnvironment(t: Test, plane: SharedControlPlane): Promise<AgentTestEnvironment> {
  const { aws, ...network } = await createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4, 6] });
  return { ...(await connectMachine(t, plane, network)), aws };
}

/** The machine's instance, as both EC2 and its own metadata have it. */
export const ownInstance: Ec2Instance = {
  instanceId: initialAwsState().instance.instanceId,
  accountId: initialAwsState().accountId,
  region: 'us-west-2',
  zone: 'us-west-2b',
  zoneId: 'usw2-az2',
  instanceType: 'm7g.large',
  state: 'running',
  launchedAtMs: Date.now() - 3_600_000,
  privateDnsName: 'ip-10-0-0-20.us-west-2.compute.internal',
  publicDnsName: 'ec2-192-0-2-20.us-west-2.compute.amazonaws.com',
  publicIp: '192.0.2.20',
  interfaces: [
    { deviceIndex: 0, status: 'in-use', privateIps: ['10.0.0.20', '10.0.0.21'], ipv6: ['2001:db8::20'] },
    { deviceIndex: 1, status: 'in-use', privateIps: ['10.0.1.20', '10.0.1.21'], ipv6: [] },
  ],
  tags: {},
};

export const ownProviderId = providerIdOf(ownInstance);

export function providerIdOf({ zone, instanceId }: Ec2Instance): string {
  return `aws:///${zone}/${instanceId}`;
}

export async function setInstance({ aws }: AgentTestEnvironment, changed: Partial<Ec2Instance>): Promise<void> {
  await aws.update({ ec2Instances: { [ownInstance.instanceId]: { ...ownInstance, ...changed } } });
}

/** Few rounds for a quick run, or the full number. */
export const isFull = Number(process.env['POLYCLOUD_TEST_ROUNDS'] || '1') > 1;
