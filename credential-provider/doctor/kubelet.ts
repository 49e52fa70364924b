import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Environment } from '../../lib/environment.ts';

/** A kubelet as it runs on this machine. */
export interface Kubelet {
  readonly pid: number;
  readonly env: Environment;
  /** Its --image-credential-provider-config. */
  readonly configPath?: string;
  /** Its --image-credential-provider-bin-dir. */
  readonly binDirectory?: string;
}

/**
 * `undefined`: none runs here, or none that we may look at. One in a container has other files, so it is not ours to look
 * at. `processes` is /proc.
 */
export function findKubelet(processes: string): Kubelet | undefined {
  const pids = readdirSync(processes).filter((name) => /^\d+$/.test(name));
  return pids
    .map((pid) => kubeletOf(join(processes, pid), Number(pid), filesOf(join(processes, 'self'))))
    .find((found) => found !== undefined);
}

function kubeletOf(directory: string, pid: number, ourFiles: string): Kubelet | undefined {
  try {
    const args = words(join(directory, 'cmdline'));
    if (basename(args[0] ?? '') !== 'kubelet' || filesOf(directory) !== ourFiles) return undefined;
    const configPath = flagOf(args, '--image-credential-provider-config');
    const binDirectory = flagOf(args, '--image-credential-provider-bin-dir');
    return {
      pid,
      env: environmentOf(words(join(directory, 'environ'))),
      ...(configPath !== undefined && { configPath }),
      ...(binDirectory !== undefined && { binDirectory }),
    };
  } catch {
    // It has ended meanwhile, or is another user's.
    return undefined;
  }
}

/** The set of mounts that a process sees. */
function filesOf(directory: string): string {
  return readlinkSync(join(directory, 'ns/mnt'));
}

function words(file: string): readonly string[] {
  return readFileSync(file, 'utf8').split('\0').slice(0, -1);
}

/** `--flag=value` or `--flag value`. */
export function flagOf(args: readonly string[], flag: string): string | undefined {
  const attached = args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1);
  const at = args.indexOf(flag);
  return attached ?? (at < 0 ? undefined : args[at + 1]);
}

function environmentOf(pairs: readonly string[]): Environment {
  return Object.fromEntries(pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]));
}
