import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Architecture } from './architecture.ts';
import { readCommit } from './commit.ts';
import { createBuildContext } from './executables/build-context.ts';
import { buildConstants } from './executables/bundle.ts';
import type { BuildResult } from './executables/executable.ts';
import { executablePath, makeExecutable } from './executables/executable.ts';
import { makeFrontEnd } from './executables/front-end.ts';
import { programs } from './executables/programs.ts';
import { makeImages } from './images/make-images.ts';
import { projectDirectory } from './project.ts';
import { makeWorkDirectory } from './work-directory.ts';

export interface BuildOptions {
  readonly architectures: readonly Architecture[];
  readonly withImages: boolean;
  /** Code caches of an earlier build of the same commit; see `BuildContext`. */
  readonly codeCaches?: string;
  log(line: string): void;
}

const programsAtOnce = 2;

/** Builds the front end and all programs in `dist`, and images of them if they are wanted. */
export async function buildAll({ architectures, withImages, codeCaches, log }: BuildOptions): Promise<void> {
  for (const arch of architectures) {
    const built = await makeFrontEnd(arch, log);
    if (built !== undefined) log(`built ${relative(projectDirectory, built.file)}: ${built.sizeBytes} bytes`);
  }
  const workDirectory = await makeWorkDirectory(join(projectDirectory, 'dist'));
  try {
    const made = await createBuildContext(workDirectory, architectures, log);
    const context = { ...made, ...(codeCaches !== undefined && { codeCaches }) };
    const commit = await readCommit();
    const constants = buildConstants(commit);
    const jobs = programs.flatMap((program) => architectures.map((arch) => ({ program, arch })));
    await forEachOf(jobs, programsAtOnce, async ({ program, arch }) => {
      const startedMs = performance.now();
      const file = executablePath(program.name, arch);
      const built = await makeExecutable({ program, arch, constants, file }, context);
      log(formatResult(built, performance.now() - startedMs));
    });
    if (withImages) {
      await makeImages({ architectures, commit, workDirectory, directory: join(projectDirectory, 'dist/images'), log });
    }
  } finally {
    await rm(workDirectory, { recursive: true });
  }
}

async function forEachOf<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

function formatResult(result: BuildResult, tookMs: number): string {
  const size = `${(result.sizeBytes / 1e6).toFixed(1)} MB`;
  const cache = `code cache ${Math.round(result.codeCacheBytes / 1e3)} KB`;
  return `${result.state} ${relative(projectDirectory, result.file)}: ${size}, ${cache}, ${(tookMs / 1e3).toFixed(1)} s`;
}
