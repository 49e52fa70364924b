import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { projectDirectory } from '../../build/project.ts';

export interface TapRun {
  readonly files: readonly string[];
  readonly jobs: number;
  readonly env: NodeJS.ProcessEnv;
  onOutput(line: string): void;
  onError(line: string): void;
}

/** Runs tap over the files and hands over what it prints, line by line. Returns its exit code. */
export async function runTap({ files, jobs, env, onOutput, onError }: TapRun): Promise<number | null> {
  const tap = join(projectDirectory, 'node_modules/tap/dist/esm/run.mjs');
  const child = spawn(
    process.execPath,
    [tap, 'run', `--jobs=${String(jobs)}`, '--reporter=tap', '--no-color', ...files],
    {
      cwd: projectDirectory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const [code] = await Promise.all([ended, eachLine(child.stdout, onOutput), eachLine(child.stderr, onError)]);
  return code;
}

async function eachLine(stream: Readable, handle: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) handle(line);
}
