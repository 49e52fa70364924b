import { copyFile, mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chunks } from './bundle.ts';
import type { TrainingEnvironment, TrainingRun } from './training-run.ts';
import { run } from '../run.ts';
import type { Assets } from './single-executable.ts';

/** The name of the code cache of a chunk; the files in `start/` use the same name. */
export function codeCacheName(chunk: string): string {
  return `${chunk}.code-cache`;
}

/** Writes the chunks to a new directory, each with an empty code cache. Returns all of them as assets. */
export async function writeChunks(chunks: Chunks, directory: string): Promise<Assets> {
  await mkdir(directory);
  const contents = [...chunks].flatMap(([name, code]) => [[name, code] as const, [codeCacheName(name), ''] as const]);
  for (const [name, content] of contents) await writeFile(join(directory, name), content);
  return Object.fromEntries(contents.map(([name]) => [name, join(directory, name)]));
}

/** Copies the code caches of all chunks, so that the same commit can be built again to the same bytes. */
export async function copyCodeCaches(chunks: Chunks, from: string, to: string): Promise<void> {
  for (const name of chunks.keys()) {
    const file = codeCacheName(name);
    await copyFile(join(from, file), join(to, file)).catch((error: unknown) => {
      throw new Error(`${from} has no ${file}, so it is not from this commit`, { cause: error });
    });
  }
}

/** Keeps the code caches of an executable in a directory of their own. */
export async function keepCodeCaches(chunks: Chunks, from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  await copyCodeCaches(chunks, from, to);
}

/**
 * Runs the chunks and adds the functions that V8 compiled to their code caches. `command` is Node, its flags, the
 * bundled `start/training.ts` and the directory of the chunks. A run that fails would not compile what is needed later, so
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

/** The request is in a file, so that it is readable at once, as with the kubelet. */
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
