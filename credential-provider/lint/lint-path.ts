import { statSync } from 'node:fs';
import type { CloudEntry } from '../../clouds/index.ts';
import type { KubeletHints } from '../../schemas/kubelet-hints.ts';
import { readYaml } from '../../lib/config/read-yaml.ts';
import type { Environment } from '../../lib/environment.ts';
import { Failure } from '../../lib/failure.ts';
import type { Host } from '../../lib/host.ts';
import type { LintFinding } from '../../lib/kubelet-config/finding.ts';
import { lintConfig } from '../../lib/kubelet-config/lint.ts';
import { lintOwnConfig } from './own-config.ts';

export interface LintDeps {
  readonly clouds: readonly CloudEntry[];
  readonly env: Environment;
  readonly host: Host;
  readonly hints: readonly KubeletHints[];
  /** For the kubelet's files; absent: the executables are not checked. */
  readonly binDirectory: string | undefined;
}

export interface LintedPath {
  readonly path: string;
  /** The program that reads such a file. */
  readonly reader: 'kubelet' | 'polycloud';
  readonly findings: readonly LintFinding[];
}

/** Checks a file of polycloud, or a file or directory of the kubelet. The content decides which it is. */
export async function lintPath(path: string, deps: LintDeps): Promise<LintedPath> {
  if (isDirectory(path)) return lintForKubelet(path, deps);
  const text = await readFile(path, deps.host);
  if (typeof text !== 'string') return { path, reader: 'polycloud', findings: [text] };
  if (isForKubelet(text)) return lintForKubelet(path, deps);
  return { path, reader: 'polycloud', findings: await lintOwnConfig(text, path, deps) };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function readFile(path: string, host: Host): Promise<string | LintFinding> {
  const unreadable = { severity: 'error', code: 'unreadable', file: path } as const;
  try {
    const text = await host.readText(path);
    return text ?? { ...unreadable, what: 'it cannot be read (ENOENT)', remedy: 'check the path' };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...unreadable, what: error.message, remedy: error.remedy };
  }
}

const kubeletKeys = ['apiVersion', 'kind', 'providers'];
const kubeletKeyLine = /^[\s{]*["']?(?:apiVersion|kind|providers)["']?\s*:/m;

/** A file of the kubelet has these keys at its top, and ours has none of them. */
function isForKubelet(text: string): boolean {
  const yaml = readYaml(text, {});
  if (yaml.kind === 'unreadable') return kubeletKeyLine.test(text);
  const { value } = yaml;
  return typeof value === 'object' && value !== null && kubeletKeys.some((key) => Object.hasOwn(value, key));
}

function lintForKubelet(path: string, { hints, binDirectory }: LintDeps): LintedPath {
  const findings = lintConfig(path, { hints, ...(binDirectory !== undefined && { binDirectory }) });
  return { path, reader: 'kubelet', findings };
}
