import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pieces } from './bundle.ts';
import type { Surroundings, TrainingRun } from './programs.ts';
import { run } from './run.ts';
import type { Assets } from './single-executable.ts';

/** Where what V8 remembers of a piece is kept, as `start/` has it too. */
export function codeCacheOf(piece: string): string {
  return `${piece}.code-cache`;
}

/** Lays the pieces out in a new directory, each with a code cache that is still empty. Gives all as assets. */
export async function writePieces(pieces: Pieces, directory: string): Promise<Assets> {
  await mkdir(directory);
  const contents = [...pieces].flatMap(([name, code]) => [[name, code] as const, [codeCacheOf(name), ''] as const]);
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
    const surroundings = await trainingRun.surroundings?.();
    try {
      await runOnce(command, trainingRun, surroundings);
    } finally {
      await surroundings?.stop();
    }
  }
}

/** The request lies in a file, so that it is there at once, as it is when the kubelet asks. */
async function runOnce(
  [file = '', ...words]: readonly string[],
  { args, request }: TrainingRun,
  surroundings: Surroundings | undefined,
): Promise<void> {
  const requestFile = join(words.at(-1) ?? '', 'request.json');
  await writeFile(requestFile, JSON.stringify({ ...request, ...surroundings?.request }));
  const stdin = await open(requestFile);
  try {
    const options = { env: { ...surroundings?.env }, stdin: stdin.fd };
    const { code, stderr } = await run(file, [...words, ...(surroundings?.args ?? []), ...args], options);
    if (code !== 0) throw new Error(`a training run ended with ${code}: ${stderr}`);
  } finally {
    await stdin.close();
  }
}
