import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';

export interface ProcessOptions {
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  /** What it prints is added to the end. */
  readonly logFile: string;
}

/** A program that ends when this process ends, whatever ends it. */
export interface SupervisedProcess {
  readonly pid: number;
  readonly logFile: string;
  /** In words, once it has ended: how. */
  ending(): string | undefined;
  /** Settles when it has ended and nothing of it is left. */
  readonly ended: Promise<void>;
  /** Says nothing when it has ended. */
  signal(signal: NodeJS.Signals): void;
}

/**
 * The shell becomes the program, so that the process id is the program's, and leaves a child behind that waits for the
 * end of a pipe that this process holds. That child kills its parent, and what that started, only as long as it still is its parent: later the
 * number may belong to another process. Only the child has descriptor 3, which closes when the child ends.
 */
const script = `
exec 4<&0 0</dev/null
(
  read -r nothing <&4
  read -r pid name state parent rest </proc/self/stat
  [ "$parent" = "$$" ] && kill -s KILL -- "-$$"
) >&- 2>&- &
exec 3>&- 4<&-
exec "$@"
`;

export async function startSupervised(options: ProcessOptions): Promise<SupervisedProcess> {
  const log = await open(options.logFile, 'a');
  try {
    const child = spawn('/bin/sh', ['-c', script, 'sh', options.file, ...options.args], {
      stdio: ['pipe', log.fd, log.fd, 'pipe'],
      env: { ...options.env },
      cwd: options.directory,
      // In a session of its own: what is typed at the terminal is not for it.
      detached: true,
    });
    const closed = once(child, 'close');
    await once(child, 'spawn');
    return watch(child, closed, options.logFile);
  } finally {
    await log.close();
  }
}

function watch(child: ChildProcess, closed: Promise<unknown>, logFile: string): SupervisedProcess {
  const [holding, , , telling] = child.stdio as unknown as [Writable, null, null, Readable];
  holding.on('error', () => undefined);
  telling.on('error', () => undefined).resume();
  child.once('exit', () => holding.destroy());
  return {
    // It is there: the process has been spawned.
    pid: child.pid ?? 0,
    logFile,
    ending: () => describeEnding(child),
    ended: closed.then(() => undefined),
    signal: (signal) => void child.kill(signal),
  };
}

function describeEnding({ exitCode, signalCode }: ChildProcess): string | undefined {
  if (signalCode !== null) return `was ended by ${signalCode}`;
  return exitCode === null ? undefined : `ended with exit code ${String(exitCode)}`;
}
