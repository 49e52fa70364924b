import { lstatSync, readFileSync, statSync } from 'node:fs';
import { Failure } from './failure.ts';

/** The machine's files and programs. */
export interface Host {
  /** `undefined`: there is no such file. Throws a `Failure` when it cannot be read. */
  readText(path: string): Promise<string | undefined>;
  /** Runs a command line by /bin/sh and returns its standard output. */
  runCommand(commandLine: string, signal: AbortSignal): Promise<string>;
  readonly homeDirectory: string;
}

const maxFileBytes = 1_000_000;
const commandTimeoutMs = 30_000;

export const realHost: Host = {
  readText,
  runCommand,
  get homeDirectory() {
    return homeDirectory();
  },
};

/** A user without an entry in the system's user database has no home directory. */
function homeDirectory(): string {
  try {
    return process.getBuiltinModule('node:os').homedir();
  } catch {
    return '/';
  }
}

function readText(path: string): Promise<string | undefined> {
  return Promise.try(() => readSmallFile(path));
}

function readSmallFile(path: string): string | undefined {
  try {
    // Synchronous: the files are small and local, and loading node:fs/promises adds 4 ms to each start.
    const stats = statSync(path);
    if (stats.isFile() && stats.size <= maxFileBytes) return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = errorCode(cause);
    if (notFoundCodes.has(code)) return undefined;
    throw new Failure('misconfigured', `${path} cannot be read (${code})`, { remedy: 'check its permissions', cause });
  }
  throw new Failure('misconfigured', `${path} is not a regular file, or is larger than 1 MB`, {
    remedy: 'check the path',
  });
}

/** Also true for a dangling link, for which `readText` gives `undefined`: the link shows that a file was meant. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    if (notFoundCodes.has(errorCode(error))) return false;
    throw error;
  }
}

const notFoundCodes: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR']);

function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** Discards standard error: it could hold a secret. */
async function runCommand(commandLine: string, signal: AbortSignal): Promise<string> {
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((resolve, reject) => {
    const options = { signal, timeout: commandTimeoutMs, killSignal: 'SIGKILL', maxBuffer: maxFileBytes } as const;
    execFile('/bin/sh', ['-c', commandLine], options, (error, output) => {
      if (error === null) resolve(output);
      else reject(error instanceof Error ? error : new Error('the command could not be run'));
    });
  });
}
