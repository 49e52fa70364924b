import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';

export interface RunFileOptions {
  readonly args: readonly string[];
  /** The whole environment, nothing is added. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface RunFileResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** By way of `env -i`: tap gives every process that a test starts variables of its own, NODE_OPTIONS among them. */
export async function runFile(file: string, { args, env, stdin }: RunFileOptions): Promise<RunFileResult> {
  const assignments = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  const child = spawn('env', ['-i', ...assignments, file, ...args]);
  child.stdin.on('error', () => undefined).end(stdin);
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve).once('error', reject);
  });
  const [code, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  return { code, stdout, stderr };
}
