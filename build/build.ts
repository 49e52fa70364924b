import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Architecture } from './architecture.ts';
import { architectures } from './architecture.ts';
import { buildConstants } from './executables/bundle.ts';
import { readCommit } from './commit.ts';
import type { BuildResult } from './executables/executable.ts';
import { executablePath, makeExecutable } from './executables/executable.ts';
import { makeFrontEnd } from './executables/front-end.ts';
import { makeImages } from './images/make-images.ts';
import { programs } from './executables/programs.ts';
import { projectDirectory } from './project.ts';
import { makeWorkDirectory } from './work-directory.ts';
import { createBuildContext } from './executables/build-context.ts';

const programsAtOnce = 2;

try {
  const { values } = parseArgs({ options: { arch: { type: 'string' }, images: { type: 'boolean' } } });
  const chosen = chosenArchitectures(values.arch);
  await buildAll(chosen, values.images === true);
} catch (error) {
  log((error as Error).message);
  process.exitCode = 1;
}

function chosenArchitectures(named: string | undefined): readonly Architecture[] {
  if (named === undefined) return architectures;
  const chosen = architectures.filter((arch) => arch === named);
  if (chosen.length === 0) throw new Error(`--arch ${named}: ${architectures.join(' or ')} can be built`);
  return chosen;
}

async function buildAll(selected: readonly Architecture[], withImages: boolean): Promise<void> {
  for (const arch of selected) {
    const built = await makeFrontEnd(arch, log);
    if (built !== undefined) log(`built ${relative(projectDirectory, built.file)}: ${built.sizeBytes} bytes`);
  }
  const directory = await makeWorkDirectory(join(projectDirectory, 'dist'));
  try {
    const context = await createBuildContext(directory, selected, log);
    const commit = await readCommit();
    const constants = buildConstants(commit);
    const jobs = programs.flatMap((program) => selected.map((arch) => ({ program, arch })));
    await forEachOf(jobs, programsAtOnce, async ({ program, arch }) => {
      const startedMs = performance.now();
      const file = executablePath(program.name, arch);
      const built = await makeExecutable({ program, arch, constants, file }, context);
      log(formatResult(built, performance.now() - startedMs));
    });
    if (withImages) {
      const images = join(projectDirectory, 'dist/images');
      await makeImages({ architectures: selected, commit, workDirectory: directory, directory: images, log });
    }
  } finally {
    await rm(directory, { recursive: true });
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

function log(line: string): void {
  process.stderr.write(`build: ${line}\n`);
}
