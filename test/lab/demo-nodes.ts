import { once } from 'node:events';
import type { Node } from '../../schemas/kubernetes.ts';
import { fleetOf } from './clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from './clouds/aws/ec2-instance.ts';
import type { AwsState } from './clouds/aws/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import type { DemoCluster } from './demo-cluster.ts';
import type { DemoOutput } from './demo-output.ts';

/** The controller on a real API server, in front of the embedded EC2. */
export async function showNodes(cluster: DemoCluster, output: DemoOutput): Promise<void> {
  output.chapter('Three machines register that are no more than a Node here, and the controller is started:');
  const context: DemoContext = { ...cluster, ...output };
  const fleet = await launch(cluster.aws);
  await Promise.all(fleet.map((instance, index) => register(context, instance, index)));
  const controller = cluster.startController(ccmArguments(cluster.plane));
  try {
    await showInitialised(context);
    await showEmptyResponses(context);
  } finally {
    const ended = once(controller, 'close');
    controller.kill('SIGTERM');
    await ended;
  }
}

type DemoContext = DemoCluster & DemoOutput;

const withinMs = 40_000;
const everyMs = 100;
const quietMs = 8_000;

function ccmArguments({ adminKubeconfig }: ControlPlane): readonly string[] {
  return [
    '--kubeconfig',
    adminKubeconfig,
    '--cloud-provider',
    'aws',
    '--secure-port',
    '0',
    '--node-monitor-period',
    '1s',
  ];
}

async function launch(aws: LabCloud<AwsState>): Promise<readonly Ec2Instance[]> {
  const location = { region: 'us-west-2', zoneLetters: ['a', 'b'], accountId: '123456789012' };
  const fleet = fleetOf({ ...location, count: 3, number: 1, launchedAtMs: Date.now() - 3_600_000 });
  await aws.update({ ec2Instances: fleet });
  return Object.values(fleet);
}

const uninitialized = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

async function register({ plane }: DemoContext, { zone, instanceId }: Ec2Instance, index: number): Promise<void> {
  const spec = { providerID: `aws:///${zone}/${instanceId}`, taints: [uninitialized] };
  await plane.ask('POST', '/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: nameOf(index) },
    spec,
  });
  await setReady(plane, index, 'True');
}

async function setReady(plane: ControlPlane, index: number, status: 'True' | 'False'): Promise<void> {
  const at = new Date().toISOString();
  const condition = { type: 'Ready', status, reason: 'Demo', message: 'demo', lastHeartbeatTime: at };
  const conditions = [{ ...condition, lastTransitionTime: at }];
  await plane.ask('PATCH', `/api/v1/nodes/${nameOf(index)}/status`, { status: { conditions } });
}

function nameOf(index: number): string {
  return `machine-${index + 1}`;
}

async function nodesOf(plane: ControlPlane): Promise<readonly Node[]> {
  const { body } = await plane.ask('GET', '/api/v1/nodes');
  return (body as { readonly items: readonly Node[] }).items;
}

function waitFor(what: string, isSo: () => Promise<boolean>): Promise<boolean> {
  return waitUntil({ what, withinMs, everyMs }, async () => (await isSo()) || undefined);
}

async function showInitialised({ plane, aws, say, show }: DemoContext): Promise<void> {
  const startedMs = performance.now();
  const isDone = async (): Promise<boolean> =>
    (await nodesOf(plane)).every(({ spec }) => !(spec.taints ?? []).some(({ key }) => key === uninitialized.key));
  await waitFor('all Nodes are initialised', isDone);
  const tookMs = Math.round(performance.now() - startedMs);
  say(`initialised after ${String(tookMs)} ms; times that EC2 was asked: ${String(await countEc2Requests(aws))}`);
  for (const { metadata, status } of await nodesOf(plane)) {
    const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? 'no address';
    show(`${metadata.name}  ${address}  ${metadata.labels?.['topology.kubernetes.io/zone'] ?? 'no zone'}`);
  }
}

async function countEc2Requests(aws: LabCloud<AwsState>): Promise<number> {
  return (await aws.requests()).filter(({ service }) => service === 'ec2').length;
}

async function showEmptyResponses({ plane, aws, runController, chapter, say, show }: DemoContext): Promise<void> {
  chapter(`${nameOf(0)} is not Ready, and EC2 answers every question with an empty list:`);
  await aws.update({ ec2: { answers: 'empty' } });
  const before = await countEc2Requests(aws);
  await setReady(plane, 0, 'False');
  const startedMs = performance.now();
  const isLongEnough = (): Promise<boolean> => Promise.resolve(performance.now() - startedMs > quietMs);
  await waitFor('some time has passed', isLongEnough);
  const asked = (await countEc2Requests(aws)) - before;
  const there = (await nodesOf(plane)).length;
  say(
    `after ${String(quietMs / 1_000)} s and ${String(asked)} such answers there are ${String(there)} Nodes, as before. Why:`,
  );
  show(await runController(['explain', nameOf(0), ...ccmArguments(plane)]));
}
