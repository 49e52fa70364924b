import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import { projectDirectory } from '../../../../build/project.ts';
import { peerModules } from '../../../../bench/peers/peers.ts';
import { findSet, prepareSet } from '../../../../build/go-programs/program-set.ts';
import type { FoundSet } from '../../../../build/go-programs/program-set.ts';
import type { AzureTestEnvironment } from './azure-environment.ts';
import { collectOutput } from '../../../support/collect-output.ts';

const names = ['cloud-node-manager', 'cloud-controller-manager'] as const;

const set = {
  title: "Azure's node manager and controller",
  names,
  modules: peerModules.filter(({ packages }) => names.some((name) => packages[name] !== undefined)),
};

export function findAzurePrograms(): Promise<FoundSet<(typeof names)[number]>> {
  return findSet(set);
}

/** The same, and what is missing is built, which takes minutes, once. */
export function prepareAzurePrograms(log: (line: string) => void): Promise<FoundSet<(typeof names)[number]>> {
  return prepareSet(set, log);
}

export interface RunningProgram {
  output(): string;
  /** By SIGKILL, or another signal. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

export interface NodeManagerSettings {
  readonly file: string;
  readonly nodeName: string;
  readonly source: 'metadata service' | 'Resource Manager';
}

/** Azure's, for one Node. */
export function startNodeManager(
  environment: AzureTestEnvironment,
  { file, nodeName, source }: NodeManagerSettings,
): RunningProgram {
  const { plane, azureJson } = environment;
  const ofSource =
    source === 'metadata service' ? [] : ['--use-instance-metadata=false', `--cloud-config=${azureJson}`];
  const args = [`--node-name=${nodeName}`, `--kubeconfig=${plane.adminKubeconfig}`, ...ofSource];
  // It asks the Resource Manager about the machine that has the name of the system.
  const named = ['--uts', 'sh', '-c', 'echo "$0" > /proc/sys/kernel/hostname && exec "$@"', nodeName];
  return start(environment, 'unshare', [...named, file, ...args]);
}

/** Azure's. */
export function startAzureController(
  environment: AzureTestEnvironment,
  file: string,
  flags: readonly string[],
): RunningProgram {
  const { plane, azureJson } = environment;
  const access = ['kubeconfig', 'authentication-kubeconfig', 'authorization-kubeconfig'];
  const own = [`--cloud-config=${azureJson}`, ...access.map((flag) => `--${flag}=${plane.adminKubeconfig}`)];
  return start(environment, file, [...flags, ...own]);
}

/** Those that run it beside our controller. */
export async function flagsOfGuide(): Promise<readonly string[]> {
  const guide = await readFile(join(projectDirectory, 'docs/guides/azure.md'), 'utf8');
  const block = /^cloud-controller-manager (.*?)^```$/ms.exec(guide)?.[1];
  if (block === undefined) throw new Error("the guide has no command line of Azure's controller");
  return block.split(/[\s\\]+/).filter((word) => word !== '' && !word.startsWith('--cloud-config='));
}

export function startOurController(environment: AzureTestEnvironment, flags: readonly string[]): RunningProgram {
  const { plane, config } = environment;
  const args = ['--kubeconfig', plane.adminKubeconfig, '--cloud-provider', 'azure', '--cloud-config', config];
  const file = executablePath('polycloud-ccm', hostArchitecture());
  return start(environment, file, [...args, '--secure-port', '0', ...flags]);
}

function start({ namespace }: AzureTestEnvironment, file: string, args: readonly string[]): RunningProgram {
  const child = namespace.start(file, args, {});
  const output = collectOutput(child);
  const ended = once(child, 'close');
  return {
    output,
    stop: async (signal = 'SIGKILL') => {
      child.kill(signal);
      await ended;
    },
  };
}
