import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executable.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { aws as definition } from './clouds/aws/cloud.ts';
import { fleetOf } from './clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from './clouds/aws/ec2-instance.ts';
import type { AwsState } from './clouds/aws/state.ts';
import { labUserKey } from './clouds/aws/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import { runOnLoopback } from './clouds/loopback.ts';
import { startControlPlane } from './control-plane/control-plane.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { findPrograms } from './control-plane/find-programs.ts';
import { waitUntil } from './control-plane/wait-until.ts';
import { runCommand, withEnvironment } from './network/run-command.ts';

/** The second half of `npm run demo`: the controller on a real API server, in front of the embedded EC2. */
export async function showNodes(say: (line: string) => void): Promise<void> {
  const found = await findPrograms();
  if (!found.available) {
    say(`\nLeft out: the cloud controller manager on a real API server (${found.reason}).`);
    return;
  }
  say('\n4. Three machines register with a real API server; the controller is started.');
  const plane = await startControlPlane({ parts: [] });
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  const stage: Stage = { plane, aws, fleet: await launch(aws), say };
  await Promise.all(stage.fleet.map((instance, index) => register(stage, instance, index)));
  const controller = spawn(...withEnvironment(environmentOf(aws), ccm, ccmArguments(plane)), { stdio: 'ignore' });
  try {
    await showInitialised(stage);
    await showTerminated(stage);
    await showLie(stage);
  } finally {
    const ended = once(controller, 'close');
    controller.kill('SIGTERM');
    await ended;
    await aws.stop();
    await plane.stop();
  }
}

interface Stage {
  readonly plane: ControlPlane;
  readonly aws: LabCloud<AwsState>;
  readonly fleet: readonly Ec2Instance[];
  say(line: string): void;
}

const ccm = executablePath('polycloud-ccm', hostArchitecture());
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

function environmentOf(aws: LabCloud<AwsState>): Readonly<Record<string, string>> {
  return {
    AWS_REGION: 'us-west-2',
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
    AWS_ENDPOINT_URL_EC2: aws.url('ec2'),
    AWS_ENDPOINT_URL_STS: aws.url('sts'),
  };
}

async function launch(aws: LabCloud<AwsState>): Promise<readonly Ec2Instance[]> {
  const place = { region: 'us-west-2', zoneLetters: ['a', 'b'], accountId: '123456789012' };
  const fleet = fleetOf({ ...place, count: 3, number: 1, launchedAtMs: Date.now() - 3_600_000 });
  await aws.update({ ec2Instances: fleet });
  return Object.values(fleet);
}

const uninitialized = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

async function register({ plane }: Stage, { zone, instanceId }: Ec2Instance, index: number): Promise<void> {
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

async function showInitialised({ plane, aws, say }: Stage): Promise<void> {
  const startedMs = performance.now();
  const isDone = async (): Promise<boolean> =>
    (await nodesOf(plane)).every(({ spec }) => !(spec.taints ?? []).some(({ key }) => key === uninitialized.key));
  await waitFor('all Nodes are initialised', isDone);
  const calls = (await aws.requests()).filter(({ service }) => service === 'ec2').length;
  say(`   initialised after ${Math.round(performance.now() - startedMs)} ms; times that EC2 was asked: ${calls}`);
  for (const { metadata, status } of await nodesOf(plane)) {
    const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? 'no address';
    say(`     ${metadata.name}  ${address}  ${metadata.labels?.['topology.kubernetes.io/zone'] ?? 'no zone'}`);
  }
}

async function showTerminated({ plane, aws, fleet, say }: Stage): Promise<void> {
  say(
    `\n5. The instance of ${nameOf(0)} is terminated, and its kubelet falls silent. Twice, 10 s apart, EC2 has to say so:`,
  );
  const [first] = fleet;
  if (first === undefined) return;
  const terminated = { ...first, state: 'terminated' as const, terminatedAtMs: Date.now() };
  await aws.update({ ec2Instances: { [first.instanceId]: terminated } });
  const startedMs = performance.now();
  await setReady(plane, 0, 'False');
  const isGone = async (): Promise<boolean> => (await nodesOf(plane)).length === fleet.length - 1;
  await waitFor('its Node is gone', isGone);
  say(`   its Node was deleted after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s.`);
}

async function showLie({ plane, aws, say }: Stage): Promise<void> {
  say(`\n6. ${nameOf(1)} is not Ready either, and EC2 answers every question with an empty list:`);
  await aws.update({ ec2: { answers: 'empty' } });
  const before = (await aws.requests()).length;
  await setReady(plane, 1, 'False');
  const startedMs = performance.now();
  const isLongEnough = (): Promise<boolean> => Promise.resolve(performance.now() - startedMs > quietMs);
  await waitFor('some time has passed', isLongEnough);
  const asked = (await aws.requests()).length - before;
  say(
    `   after ${quietMs / 1_000} s and ${asked} such answers there are ${(await nodesOf(plane)).length} Nodes, as before. Why:`,
  );
  const args = ['explain', nameOf(1), ...ccmArguments(plane)];
  const { stdout } = await runCommand(ccm, args, { env: environmentOf(aws), input: '', timeoutMs: withinMs });
  say(stdout.trimEnd().replaceAll(/^/gm, '     '));
}
