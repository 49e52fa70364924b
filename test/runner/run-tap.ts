import { spawn } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { projectDirectory } from '../../build/project.ts';

export interface TapRun {
  readonly files: readonly string[];
  onOutput(line: string): void;
  onError(line: string): void;
}

/** Runs tap over the files (all, if none is named) and hands over what it prints, line by line. Returns its exit code. */
export async function runTap({ files, onOutput, onError }: TapRun): Promise<number | null> {
  const tap = join(projectDirectory, 'node_modules/tap/dist/esm/run.mjs');
  const child = spawn(process.execPath, [tap, 'run', '--reporter=tap', '--no-color', ...files.flatMap(testFilesOf)], {
    cwd: projectDirectory,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<number | null>((settle, reject) => {
    child.once('error', reject);
    child.once('close', settle);
  });
  const [code] = await Promise.all([ended, eachLine(child.stdout, onOutput), eachLine(child.stderr, onError)]);
  return code;
}

/** A folder stands for the tests in it: tap would run every file there, also those that only help. */
function testFilesOf(path: string): readonly string[] {
  const absolute = resolve(projectDirectory, path);
  if (!statSync(absolute).isDirectory()) return [path];
  return globSync('**/*.test.ts', { cwd: absolute }).map((file) => join(path, file));
}

async function eachLine(stream: Readable, handle: (line: string) => void): Promise<void> {
  for await (const line of createInterface({ input: stream })) handle(line);
}
