import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { projectDirectory } from '../../../build/project.ts';
import { findHelm } from './find-helm.ts';
import { runCommand } from '../network/run-command.ts';
import type { RunResult } from '../network/run-command.ts';

export const chartDirectory = join(projectDirectory, 'charts/polycloud');
export const release = { name: 'polycloud', namespace: 'kube-system' };

/** Any object of Kubernetes, as far as the tests of the chart look at it. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: Readonly<Record<string, unknown>>;
}

export type Values = Readonly<Record<string, unknown>>;

/** Real Helm, with these values over the chart's, for commands that take any. */
export async function runHelm(args: readonly string[], values?: Values, timeoutMs = 60_000): Promise<RunResult> {
  const found = await findHelm();
  if (!found.available) throw new Error(found.reason);
  // It keeps what it finds out below HOME.
  const home = await mkdtemp(join(tmpdir(), 'helm-'));
  try {
    const given = values === undefined ? [] : ['--values', '-'];
    const options = { env: { HOME: home }, input: stringify(values ?? {}), timeoutMs };
    return await runCommand(found.programs.helm, [...args, ...given], options);
  } finally {
    await rm(home, { recursive: true });
  }
}

/** `kinds` are those that the cluster has besides its own, such as `example.com/v1/Kind`. */
export async function render(values: Values, kinds: readonly string[] = []): Promise<readonly Manifest[]> {
  const known = kinds.flatMap((kind) => ['--api-versions', kind]);
  const args = ['template', release.name, chartDirectory, '--namespace', release.namespace, ...known];
  const { code, stdout, stderr } = await runHelm(args, values);
  if (code !== 0) throw new Error(`helm template: ${stderr}`);
  return parseAllDocuments(stdout).map((document) => document.toJS() as Manifest);
}

export function only(manifests: readonly Manifest[], kind: string, name: string): Manifest {
  const [found, ...more] = manifests.filter((each) => each.kind === kind && each.metadata.name === name);
  if (found === undefined || more.length > 0) throw new Error(`there is not one ${kind} ${name}`);
  return found;
}
