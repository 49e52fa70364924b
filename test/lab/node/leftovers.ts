import { existsSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { processesMentioning } from '../control-plane/sessions.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import { filesOf, workDirectoryOf } from '../network/names.ts';
import { findLayout } from './cgroup-layout.ts';
import { cgroupPaths } from './cgroups.ts';
import type { LabNode } from './lab-node.ts';

/** By which names something of a node can be found on the machine. */
export interface Traces {
  readonly network: string;
  readonly directories: readonly string[];
}

export function tracesOf<Name extends EmbeddedName>({ namespace, plane, logDirectory }: LabNode<Name>): Traces {
  return { network: namespace.name, directories: [dirname(logDirectory), dirname(plane.logDirectory)] };
}

/** What there is of it on this machine: processes, mounts, cgroups, the network, files. */
export function leftoversOf({ network, directories }: Traces): readonly string[] {
  const files = [`/run/netns/${network}`, filesOf(network), workDirectoryOf(network), ...directories];
  const layout = findLayout();
  const groups = layout.version === undefined ? [] : cgroupPaths(layout, network);
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n');
  const words = [network, ...directories];
  return [
    ...[...files, ...groups].filter((path) => existsSync(path)),
    ...mounts.filter((line) => words.some((word) => line.includes(word))).map((line) => `mount ${line}`),
    ...words.flatMap((word) => processesMentioning(word).map((pid) => `process ${String(pid)} (${word})`)),
  ];
}
