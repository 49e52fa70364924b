import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { peerModules } from '../../../../bench/peers/peers.ts';
import { projectDirectory } from '../../../../build/project.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import { freePort } from '../../../lab/control-plane/free-port.ts';
import { findSet, prepareSet } from '../../../../build/go-programs/program-set.ts';
import type { FoundSet } from '../../../../build/go-programs/program-set.ts';
import { startSupervised } from '../../../../build/supervised-process.ts';
import type { SupervisedProcess } from '../../../../build/supervised-process.ts';
import type { TestEnvironment } from '../../../system/api-server/ccm/environment.ts';
import type { AgentTestEnvironment } from '../../../system/api-server/node-agent/environment.ts';
import { collectOutput } from '../../../support/collect-output.ts';

const name = 'aws-cloud-controller-manager';

const set = {
  title: name,
  names: [name],
  modules: peerModules.filter(({ packages }) => packages[name] !== undefined),
} as const;

export function findAwsController(): Promise<FoundSet<typeof name>> {
  return findSet(set);
}

/** The same, and it is built if it is missing, which takes minutes, once. */
export function prepareAwsController(log: (line: string) => void): Promise<FoundSet<typeof name>> {
  return prepareSet(set, log);
}

/** What it needs of its environment. */
type AwsControllerWorld = Pick<TestEnvironment, 'plane' | 'aws' | 'region'>;

/** Ends with the test. */
export async function startAwsController(
  t: Test,
  world: AwsControllerWorld,
  file: string,
  flags: readonly string[],
): Promise<SupervisedProcess> {
  const directory = await mkdtemp(join(tmpdir(), 'aws-ccm-'));
  const cloudConfig = join(directory, 'cloud.conf');
  await writeFile(cloudConfig, cloudConfigFor(world));
  const kubeconfig = await world.plane.kubeconfigFor('aws-ccm', ['system:masters']);
  const port = ['--bind-address=127.0.0.1', `--secure-port=${String(await freePort())}`, '--webhook-secure-port=0'];
  const access = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const args = [...flags, ...access.map((flag) => `--${flag}=${kubeconfig}`), ...port];
  const running = await startSupervised({
    file,
    args: [...args, `--cloud-config=${cloudConfig}`],
    env: {
      AWS_REGION: world.region,
      AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
      AWS_EC2_METADATA_SERVICE_ENDPOINT: world.aws.url('imds'),
    },
    directory,
    logFile: join(directory, 'log'),
  });
  t.teardown(async () => {
    running.signal('SIGKILL');
    await running.ended;
    await rm(directory, { recursive: true });
  });
  return running;
}

/** Those that run it beside our controller. */
export async function flagsOfGuide(): Promise<readonly string[]> {
  const guide = await readFile(join(projectDirectory, 'docs/guides/ccm.md'), 'utf8');
  const block = new RegExp(`^${name} (.*?)^\`\`\`$`, 'ms').exec(guide)?.[1];
  if (block === undefined) throw new Error(`the guide has no command line of ${name}`);
  return block.split(/[\s\\]+/).filter((word) => word !== '');
}

/** All that it asks EC2 for. */
const permissions = ['ec2:DescribeInstances', 'ec2:DescribeAvailabilityZones', 'ec2:DescribeInstanceTopology'];
export const awsUsers = { 'lab-user': { id: 'AIDALABUSER0000000000', permissions } };

/** In the namespace of a machine, where EC2 is at its production address. Ends with the test. */
export async function startAwsControllerInside(
  { namespace, plane, directory, atEnd }: AgentTestEnvironment,
  file: string,
  flags: readonly string[],
): Promise<{ output(): string; stop(): Promise<void> }> {
  const cloudConfig = join(directory, 'cloud.conf');
  await writeFile(cloudConfig, [...locationOf('us-west-2'), ''].join('\n'));
  const access = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const own = [`--cloud-config=${cloudConfig}`, ...access.map((flag) => `--${flag}=${plane.adminKubeconfig}`)];
  const child = namespace.start(file, [...flags, ...own, '--secure-port=0'], {
    AWS_REGION: 'us-west-2',
    AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
    AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
  });
  const output = collectOutput(child);
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
  };
  atEnd(stop);
  return { output, stop };
}

/** Outside AWS it needs its location and the addresses of the services. */
function cloudConfigFor({ aws, region }: AwsControllerWorld): string {
  const services = ['EC2', 'Elastic Load Balancing'].map((service, index) => {
    const where = [
      `Service = ${service}`,
      `Region = ${region}`,
      `URL = ${aws.url('ec2')}`,
      `SigningRegion = ${region}`,
    ];
    return [`[ServiceOverride "${String(index + 1)}"]`, ...where].join('\n');
  });
  return [...locationOf(region), ...services, ''].join('\n');
}

function locationOf(region: string): readonly string[] {
  return [
    '[Global]',
    `Region = ${region}`,
    `Zone = ${region}a`,
    'VPC = vpc-0123456789abcdef0',
    'SubnetID = subnet-0123456789abcdef0',
    'KubernetesClusterID = lab',
  ];
}
