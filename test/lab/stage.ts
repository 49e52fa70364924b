import { createAwsNetwork } from './aws-network.ts';
import { aws as awsDefinition } from './clouds/aws/cloud.ts';
import { loopbackEndpoints } from './clouds/aws/loopback-endpoints.ts';
import type { AwsState } from './clouds/aws/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import { runOnLoopback } from './clouds/loopback.ts';
import type { RunResult } from './network/run-command.ts';
import { runCommand } from './network/run-command.ts';
import { namespaceSupport } from './network/support.ts';

/** A place where a program meets the embedded AWS, at production names if that can be had. */
export interface Stage {
  readonly setting: string;
  readonly aws: LabCloud<AwsState>;
  run(file: string, call: Call): Promise<RunResult>;
  stop(): Promise<void>;
}

export interface Call {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Longer than the kubelet waits. */
const timeoutMs = 70_000;

export async function openStage(regions: readonly [string, ...string[]]): Promise<Stage> {
  const support = await namespaceSupport();
  return support.available ? inNamespace(regions) : onLoopback(support.reason);
}

async function inNamespace(regions: readonly [string, ...string[]]): Promise<Stage> {
  const { namespace, aws, stop } = await createAwsNetwork({ regions, ipVersions: [4] });
  return {
    setting: 'in a network namespace, at production addresses and names, with no endpoint setting',
    aws,
    run: (file, { args, input, env }) => namespace.run(file, args, { env, input, timeoutMs }),
    stop,
  };
}

async function onLoopback(reason: string): Promise<Stage> {
  const aws = await runOnLoopback(awsDefinition, { plain: Object.keys(awsDefinition.services) });
  const endpoints = loopbackEndpoints(aws);
  return {
    setting: `over loopback, by endpoint settings (${reason})`,
    aws,
    run: (file, { args, input, env }) => runCommand(file, args, { env: { ...endpoints, ...env }, input, timeoutMs }),
    stop: () => aws.stop(),
  };
}
