import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';

export interface RunOptions {
  /** The whole environment, nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** For standard input, which is closed after it. */
  readonly input: string;
  /** The command and what it started are killed after this. */
  readonly timeoutMs: number;
}

export interface RunResult {
  readonly stdout: string;
  readonly stderr: string;
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly durationMs: number;
}

/** Runs a command to its end, whatever the end is; one that cannot be started ends with code 126 or 127. */
export async function runCommand(command: string, args: readonly string[], options: RunOptions): Promise<RunResult> {
  const startedMs = performance.now();
  // A process group of its own, so that children of the command end with it.
  const child = spawn(...withEnvironment(options.env, command, args), { detached: true });
  const timer = setTimeout(() => killGroup(child.pid), options.timeoutMs);
  // It may end without reading all of its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.input);
  try {
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    const [[code, signal], stdout, stderr] = await Promise.all([ended, buffer(child.stdout), buffer(child.stderr)]);
    const durationMs = performance.now() - startedMs;
    return { stdout: stdout.toString(), stderr: stderr.toString(), code, signal, durationMs };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The command with this environment and no other. Said on the command line, because a test runner may add variables of
 * its own (NODE_OPTIONS among them) to whatever is started from JavaScript.
 */
export function withEnvironment(
  env: Readonly<Record<string, string>>,
  command: string,
  args: readonly string[],
): [command: string, args: string[]] {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return ['/usr/bin/env', ['-i', ...variables, command, ...args]];
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has exited in the meantime.
  }
}
