import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../control-plane/wait-until.ts';
import { parseName } from '../network/names.ts';
import { findLayout, requiredV2Controllers } from './cgroup-layout.ts';
import type { CgroupLayout } from './cgroup-layout.ts';
import { unitHierarchies } from './systemd.ts';

/** The node's own groups. */
export interface NodeCgroups {
  readonly layout: CgroupLayout;
  /** Which the first process enters before it makes its namespace of them its own. */
  readonly outer: readonly string[];
  /** Which every other process enters. */
  readonly inner: readonly string[];
  /** To be called when the first process is where the others will be: `parent` is still in the outer ones. */
  enterInner(parent: number): void;
}

export function createCgroups(name: string, serviceManager: 'systemd' | undefined): NodeCgroups {
  const layout = requireLayout();
  const outer = [...controllerPaths(layout, name), ...(serviceManager === undefined ? [] : unitPaths(name))];
  for (const folder of outer) mkdirSync(folder);
  if (layout.version === 1) {
    for (const { mountPoint } of layout.hierarchies) copyCpuset(mountPoint, join(mountPoint, name));
    return { layout, outer, inner: outer, enterInner: () => undefined };
  }
  const inner = outer.map((folder) => join(folder, systemGroup));
  enableControllers(layout.mountPoint);
  for (const folder of inner) mkdirSync(folder);
  return { layout, outer, inner, enterInner: (parent) => enterInner(parent, outer, inner) };
}

/** In the second version a group with groups below it has no processes of its own. */
export const systemGroup = 'system';

function enterInner(parent: number, outer: readonly string[], inner: readonly string[]): void {
  for (const folder of inner) writeFileSync(join(folder, 'cgroup.procs'), String(parent));
  for (const folder of outer) enableControllers(folder);
}

function enableControllers(folder: string): void {
  for (const each of requiredV2Controllers) writeFileSync(join(folder, 'cgroup.subtree_control'), `+${each}`);
}

/** Nothing can enter a group that names no processors and no memory, where groups name them. */
function copyCpuset(from: string, to: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    if (existsSync(join(from, file))) writeFileSync(join(to, file), readFileSync(join(from, file)));
  }
}

function requireLayout(): CgroupLayout {
  const layout = findLayout();
  if (layout.version === undefined) throw new Error(`no cgroups with ${layout.missing.join(', ')}`);
  return layout;
}

/** Where there may be some: in each hierarchy one. */
export function cgroupPaths(layout: CgroupLayout, name: string): readonly string[] {
  return [...new Set([...controllerPaths(layout, name), ...unitPaths(name)])];
}

function controllerPaths(layout: CgroupLayout, name: string): readonly string[] {
  return rootsOf(layout).map((mountPoint) => join(mountPoint, name));
}

function unitPaths(name: string): readonly string[] {
  return unitHierarchies().map((folder) => join(folder, name));
}

function rootsOf(layout: CgroupLayout): readonly string[] {
  return layout.version === 1 ? layout.hierarchies.map(({ mountPoint }) => mountPoint) : [layout.mountPoint];
}

/** Kills what is in them still, and removes them with all that is below. */
export async function removeCgroups(name: string): Promise<void> {
  const folders = cgroupPaths(requireLayout(), name);
  await waitUntil({ what: `the cgroups ${name} are empty`, withinMs: 20_000, everyMs: 20 }, async () => {
    for (const folder of folders) removeTree(folder);
    return folders.some((folder) => existsSync(folder)) ? undefined : true;
  });
}

/** What processes left that were killed before they could clear up. */
export async function removeAbandonedCgroups(): Promise<void> {
  const names = rootsOf(requireLayout()).flatMap((mountPoint) => readdirSync(mountPoint));
  for (const name of new Set(names)) {
    const made = parseName(name);
    if (made !== undefined && !existsSync(`/proc/${made.pid}`)) await removeCgroups(name);
  }
}

function removeTree(folder: string): void {
  for (const entry of entriesOf(folder)) if (entry.isDirectory()) removeTree(join(folder, entry.name));
  const processes = tryOrUndefined(() => readFileSync(join(folder, 'cgroup.procs'), 'utf8')) ?? '';
  for (const pid of processes.split('\n').filter(Boolean)) tryOrUndefined(() => process.kill(Number(pid), 'SIGKILL'));
  tryOrUndefined(() => rmdirSync(folder));
}

function entriesOf(folder: string): readonly Dirent[] {
  return tryOrUndefined(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

/** For what may have gone already, or is on its way out. */
function tryOrUndefined<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
