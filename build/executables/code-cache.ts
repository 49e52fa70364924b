import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chunks } from './bundle.ts';
import type { TrainingEnvironment, TrainingRun } from './training-run.ts';
import { run } from '../run.ts';
import type { Assets } from './single-executable.ts';

/** Where what V8 remembers of a piece is kept, as `start/` has it too. */
export function codeCacheName(chunk: string): string {
  return `${chunk}.code-cache`;
}

/** Lays the pieces out in a new directory, each with a code cache that is still empty. Gives all as assets. */
export async function writeChunks(chunks: Chunks, directory: string): Promise<Assets> {
  await mkdir(directory);
  const contents = [...chunks].flatMap(([name, code]) => [[name, code] as const, [codeCacheName(name), ''] as const]);
  for (const [name, content] of contents) await writeFile(join(directory, name), content);
  return Object.fromEntries(contents.map(([name]) => [name, join(directory, name)]));
}

/**
 * Makes the pieces run and adds what V8 compiled meanwhile to their code caches. `command` is the base executable, the
 * bundled `start/training.ts` and the directory of the pieces. A run that fails would not teach what is needed later, so
 * it stops the build.
 */
export async function train(command: readonly string[], trainingRuns: readonly TrainingRun[]): Promise<void> {
  for (const trainingRun of trainingRuns) {
    const environment = await trainingRun.environment?.();
    try {
      await runOnce(command, trainingRun, environment);
    } finally {
      await environment?.stop();
    }
  }
}

/** The request lies in a file, so that it is there at once, as it is when the kubelet asks. */
async function runOnce(
  [file = '', ...commandArgs]: readonly string[],
  { args, request }: TrainingRun,
  environment: TrainingEnvironment | undefined,
): Promise<void> {
  const requestFile = join(commandArgs.at(-1) ?? '', 'request.json');
  await writeFile(requestFile, JSON.stringify({ ...request, ...environment?.request }));
  const stdin = await open(requestFile);
  try {
    const options = { env: { ...environment?.env }, stdin: stdin.fd };
    const { code, stderr } = await run(file, [...commandArgs, ...(environment?.args ?? []), ...args], options);
    if (code !== 0) throw new Error(`a training run ended with ${code}: ${stderr}`);
  } finally {
    await stdin.close();
  }
}
