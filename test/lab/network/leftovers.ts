import type { ChildProcess } from 'node:child_process';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { filesOf, namespaceDirectories, parseName, workDirectoryOf } from './names.ts';

/** Removes a namespace, the processes in it and its files; what is not there is no error. */
export function removeNamespace(ip: string, name: string): void {
  for (const child of namespaces.get(name) ?? []) child.kill('SIGKILL');
  for (const pid of processesIn(ip, name)) tryOrUndefined(() => process.kill(pid, 'SIGKILL'));
  tryOrUndefined(() => execFileSync(ip, ['netns', 'delete', name], { stdio: 'ignore' }));
  for (const directory of [filesOf(name), workDirectoryOf(name)]) rmSync(directory, { recursive: true, force: true });
  namespaces.delete(name);
}

/** From here on the namespace does not outlive this process, unless that is killed with SIGKILL. */
export function removeAtExit(ip: string, name: string): void {
  removeOnSignals(ip);
  namespaces.set(name, new Set());
}

/** Nor does this process, which may not have come as far as into the namespace. */
export function killAtExit(name: string, child: ChildProcess): void {
  namespaces.get(name)?.add(child);
}

/** Removes the namespaces of processes that were killed before they could. */
export function removeAbandoned(ip: string): void {
  for (const entry of namespaceDirectories.flatMap(namesIn)) {
    const made = parseName(entry);
    if (made && !existsSync(`/proc/${made.pid}`)) removeNamespace(ip, made.name);
  }
}

/** By name, what was started in each. */
const namespaces = new Map<string, Set<ChildProcess>>();

let watching = false;

function removeOnSignals(ip: string): void {
  if (watching) return;
  watching = true;
  process.once('exit', () => removeAll(ip));
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.once(signal, () => {
      removeAll(ip);
      process.kill(process.pid, signal);
    });
  }
}

function removeAll(ip: string): void {
  for (const name of namespaces.keys()) removeNamespace(ip, name);
}

function processesIn(ip: string, name: string): readonly number[] {
  const listed = tryOrUndefined(() =>
    execFileSync(ip, ['netns', 'pids', name], { stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  return listed === undefined ? [] : listed.toString().split('\n').filter(Boolean).map(Number);
}

function namesIn(directory: string): readonly string[] {
  return tryOrUndefined(() => readdirSync(directory)) ?? [];
}

/** For what may have gone already. */
function tryOrUndefined<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
