import { execFile, spawn } from 'node:child_process';
import type { ChildProcessByStdio, StdioPipe } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { isIPv6 } from 'node:net';
import { promisify } from 'node:util';
import type { NamespaceFiles } from './files.ts';
import { writeNamespaceFiles } from './files.ts';
import { removeAbandoned, killAtExit, removeAtExit, removeNamespace } from './leftovers.ts';
import { filesOf, uniqueName } from './names.ts';
import type { RunOptions, RunResult } from './run-command.ts';
import { runCommand, withEnvironment } from './run-command.ts';
import { findIp } from './support.ts';

export interface NamespaceOptions extends NamespaceFiles {
  /** If omitted, a unique one is generated. */
  readonly name?: string;
  /** All on its loopback interface, which is the only one: there is no way out. */
  readonly addresses: readonly string[];
}

/** A network of its own, in which production addresses and names are the lab's. */
export interface Namespace {
  readonly name: string;
  run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult>;
  /** Starts a command that goes on; it ends with the namespace at the latest. */
  start(command: string, args: readonly string[], env: Readonly<Record<string, string>>): ProcessInside;
  /** Its work directory too. Once is enough, more does no harm. */
  remove(): void;
}

export type ProcessInside = ChildProcessByStdio<Writable, Readable, Readable>;

export async function createNamespace(options: NamespaceOptions): Promise<Namespace> {
  const ip = findIp();
  if (ip === undefined) throw new Error('There is no command "ip" here');
  removeAbandoned(ip);
  const name = options.name ?? uniqueName();
  await runProgram(ip, ['netns', 'add', name]);
  removeAtExit(ip, name);
  try {
    await both(fillLoopback(ip, name, options.addresses), writeNamespaceFiles(filesOf(name), options));
  } catch (error) {
    removeNamespace(ip, name);
    throw error;
  }
  const inside = (command: string, args: readonly string[]): string[] => ['netns', 'exec', name, command, ...args];
  return {
    name,
    run: (command, args, runOptions) => runCommand(ip, inside(command, args), runOptions),
    start: (command, args, env) => {
      const child = spawn(...withEnvironment(env, ip, inside(command, args)), { stdio: pipes });
      killAtExit(name, child);
      return child;
    },
    remove: () => removeNamespace(ip, name),
  };
}

const pipes: [StdioPipe, StdioPipe, StdioPipe] = ['pipe', 'pipe', 'pipe'];

/** Fails only after both have ended, so that nothing is written after the clearing up. */
async function both(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.allSettled([one, other]);
  await Promise.all([one, other]);
}

const runProgram = promisify(execFile);

async function fillLoopback(ip: string, name: string, addresses: readonly string[]): Promise<void> {
  const lines = addresses.map((address) => `addr add ${address}/${isIPv6(address) ? '128' : '32'} dev lo`);
  const batch = runProgram(ip, ['-n', name, '-batch', '-']);
  batch.child.stdin?.end(['link set lo up', ...lines, ''].join('\n'));
  await batch;
}
