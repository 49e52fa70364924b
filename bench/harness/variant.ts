import { spawn } from 'node:child_process';
import type { ChildProcess, StdioOptions } from 'node:child_process';

/** One of the command lines that are compared. */
export interface Variant {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  /** The whole environment, as after `env -i`. */
  readonly env: Readonly<Record<string, string>>;
  /** A file, so that nothing has to be written while time is taken; absent: none. */
  readonly stdinFile?: string;
  /** Does it write to standard output? Without that there is no moment to look at its memory. */
  readonly answers: boolean;
}

export function startVariant({ file, args, env }: Variant, stdio: StdioOptions): ChildProcess {
  return spawn(file, args, { env, stdio });
}

/** When it has ended with exit code 0; anything else was not the work that is to be measured. */
export function waitForSuccess(child: ChildProcess, { name }: Variant): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${name} ended with ${code ?? signal}`));
    });
  });
}
