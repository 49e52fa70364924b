import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { aws as definition } from './clouds/aws/cloud.ts';
import type { AwsState } from './clouds/aws/state.ts';
import { labUserKey } from './clouds/aws/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import { runOnLoopback } from './clouds/loopback.ts';
import { startControlPlane } from './control-plane/control-plane.ts';
import type { ControlPlane } from './control-plane/control-plane.ts';
import { findPrograms } from './control-plane/find-programs.ts';
import { findHelm } from './helm/find-helm.ts';
import { imageSupport } from './helm/program-images.ts';
import { runCommand, withEnvironment } from './network/run-command.ts';
import type { LabNode } from './node/lab-node.ts';
import { nodeSupport } from './node/support.ts';
import { bootEmptyNode } from './story/empty-node.ts';

/** A cluster at AWS, for the second half of the demo. */
export interface DemoCluster {
  /** Where a machine can be booted at all. */
  readonly node: LabNode<'aws'> | undefined;
  readonly plane: ControlPlane;
  readonly aws: LabCloud<AwsState>;
  startController(args: readonly string[]): ChildProcess;
  /** The same executable to its end; gives what it prints. */
  runController(args: readonly string[]): Promise<string>;
  stop(): Promise<void>;
}

/** The parts that this machine can run. Prints what is left out, and what is missing for it. */
export async function openDemoCluster(log: (line: string) => void): Promise<DemoCluster | undefined> {
  const programs = await findPrograms();
  if (!programs.available) {
    log(`\nLeft out: a node, and the controller on a real API server (${programs.reason}).`);
    return undefined;
  }
  for (const support of [await nodeSupport(), await findHelm(), imageSupport()]) {
    if (support.available) continue;
    log(`\nLeft out: a node from its boot to its end, with a private image pulled there (${support.reason}).`);
    return onLoopback();
  }
  return onNode(await bootEmptyNode());
}

const ccm = executablePath('polycloud-ccm', hostArchitecture());
const timeoutMs = 40_000;

const credentials = {
  AWS_REGION: 'us-west-2',
  AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
  AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
};

/** Beside the node, at production names. */
function onNode(node: LabNode<'aws'>): DemoCluster {
  const { plane, clouds, namespace } = node;
  return {
    node,
    plane,
    aws: clouds.aws,
    startController: (args) => discardOutput(namespace.start(ccm, args, credentials)),
    runController: async (args) => (await namespace.run(ccm, args, { env: credentials, input: '', timeoutMs })).stdout,
    stop: () => node.stop(),
  };
}

/** Its output is not read, and it must not block on it. */
function discardOutput(child: ChildProcess): ChildProcess {
  child.stdout?.resume();
  child.stderr?.resume();
  return child;
}

async function onLoopback(): Promise<DemoCluster> {
  const plane = await startControlPlane({ parts: [] });
  const aws = await runOnLoopback(definition, { plain: Object.keys(definition.services) });
  const env = { ...credentials, AWS_ENDPOINT_URL_EC2: aws.url('ec2'), AWS_ENDPOINT_URL_STS: aws.url('sts') };
  return {
    node: undefined,
    plane,
    aws,
    startController: (args) => spawn(...withEnvironment(env, ccm, args), { stdio: 'ignore' }),
    runController: async (args) => (await runCommand(ccm, args, { env, input: '', timeoutMs })).stdout,
    stop: async () => {
      await aws.stop();
      await plane.stop();
    },
  };
}
