import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Environment } from '../../lib/environment.ts';
import { binDirectoryFlag, configFlag, flagOf } from '../../lib/kubelet-config/flags.ts';

/** A kubelet that runs on this machine. */
export interface Kubelet {
  readonly pid: number;
  readonly env: Environment;
  /** Its --image-credential-provider-config. */
  readonly configPath?: string;
  /** Its --image-credential-provider-bin-dir. */
  readonly binDirectory?: string;
}

/**
 * `undefined`: none runs here, or none that we may inspect. A kubelet in a container sees other files, so it does not
 * count. `procDirectory` is /proc.
 */
export function findKubelet(procDirectory: string): Kubelet | undefined {
  const pids = readdirSync(procDirectory).filter((name) => /^\d+$/.test(name));
  return pids
    .map((pid) => kubeletOf(join(procDirectory, pid), Number(pid), mountNamespaceOf(join(procDirectory, 'self'))))
    .find((found) => found !== undefined);
}

function kubeletOf(directory: string, pid: number, ourMountNamespace: string): Kubelet | undefined {
  try {
    const args = readNulSeparated(join(directory, 'cmdline'));
    if (basename(args[0] ?? '') !== 'kubelet' || mountNamespaceOf(directory) !== ourMountNamespace) return undefined;
    const configPath = flagOf(args, configFlag);
    const binDirectory = flagOf(args, binDirectoryFlag);
    return {
      pid,
      env: environmentOf(readNulSeparated(join(directory, 'environ'))),
      ...(configPath !== undefined && { configPath }),
      ...(binDirectory !== undefined && { binDirectory }),
    };
  } catch {
    // It has ended, or belongs to another user.
    return undefined;
  }
}

/** The set of mounts that a process sees. */
function mountNamespaceOf(directory: string): string {
  return readlinkSync(join(directory, 'ns/mnt'));
}

function readNulSeparated(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\0').slice(0, -1);
}

function environmentOf(pairs: readonly string[]): Environment {
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}
