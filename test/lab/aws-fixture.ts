import { createAwsNetwork } from './aws-network.ts';
import { aws as awsDefinition } from './clouds/aws/cloud.ts';
import { endpointVariables } from './clouds/aws/endpoint-variables.ts';
import type { AwsState } from './clouds/aws/state.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import { runOnLoopback } from './clouds/loopback.ts';
import type { RunResult } from './network/run-command.ts';
import { runCommand } from './network/run-command.ts';
import { namespaceSupport } from './network/support.ts';

/** A place where a program meets the embedded AWS, at production names if that can be had. */
export interface AwsFixture {
  readonly description: string;
  readonly aws: LabCloud<AwsState>;
  run(file: string, call: ProgramCall): Promise<RunResult>;
  stop(): Promise<void>;
}

export interface ProgramCall {
  readonly args: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Longer than the kubelet waits. */
const timeoutMs = 70_000;

export async function openAwsFixture(regions: readonly [string, ...string[]]): Promise<AwsFixture> {
  const support = await namespaceSupport();
  return support.available ? inNamespace(regions) : onLoopback(support.reason);
}

async function inNamespace(regions: readonly [string, ...string[]]): Promise<AwsFixture> {
  const { namespace, aws, stop } = await createAwsNetwork({ regions, ipVersions: [4] });
  return {
    description: 'in a network namespace, at production addresses and names, with no endpoint setting',
    aws,
    run: (file, { args, input, env }) => namespace.run(file, args, { env, input, timeoutMs }),
    stop,
  };
}

async function onLoopback(reason: string): Promise<AwsFixture> {
  const aws = await runOnLoopback(awsDefinition, { plain: Object.keys(awsDefinition.services) });
  const endpoints = endpointVariables(aws);
  return {
    description: `over loopback, by endpoint settings (${reason})`,
    aws,
    run: (file, { args, input, env }) => runCommand(file, args, { env: { ...endpoints, ...env }, input, timeoutMs }),
    stop: () => aws.stop(),
  };
}
