import { spawn } from 'node:child_process';
import type { SpawnOptions } from 'node:child_process';

export interface ProcessResult {
  /** `null`: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program to its end. Rejects only if it cannot be started. */
export function run(file: string, args: readonly string[], options: RunProgramOptions): Promise<ProcessResult> {
  const { stdin, ...spawnOptions } = options;
  return new Promise((resolve, reject) => {
    const input = typeof stdin === 'number' ? stdin : 'pipe';
    const child = spawn(file, args, { ...spawnOptions, stdio: [input, 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (printed.stdout += text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (printed.stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...printed }));
    child.stdin?.on('error', () => undefined).end(stdin);
  });
}

/** Runs a program that must succeed. The error contains what it printed. */
export async function runOrThrow(file: string, args: readonly string[], options: RunProgramOptions): Promise<string> {
  const { code, stdout, stderr } = await run(file, args, options);
  if (code === 0) return stdout;
  throw new Error(`${file} ${args.join(' ')} ended with ${code ?? 'a signal'}: ${(stderr || stdout).trim()}`);
}

/** `stdin`: the text to write, or the descriptor of an open file. */
export type RunProgramOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'timeout' | 'killSignal'> & {
  readonly stdin: string | number;
};
