import { rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import type { Architecture } from './architecture.ts';
import { architectures } from './architecture.ts';
import { buildConstants } from './bundle.ts';
import { readCommit } from './commit.ts';
import type { Built } from './executable.ts';
import { executablePath, makeExecutable } from './executable.ts';
import { makeFrontEnd } from './front-end.ts';
import { makeImages } from './images/make-images.ts';
import { programs } from './programs.ts';
import { projectDirectory } from './project.ts';
import { makeWorkDirectory } from './work-directory.ts';
import { openWorkshop } from './workshop.ts';

const programsAtOnce = 2;

try {
  const { values } = parseArgs({ options: { arch: { type: 'string' }, images: { type: 'boolean' } } });
  const chosen = chosenArchitectures(values.arch);
  await buildAll(chosen, values.images === true);
} catch (error) {
  say((error as Error).message);
  process.exitCode = 1;
}

function chosenArchitectures(named: string | undefined): readonly Architecture[] {
  if (named === undefined) return architectures;
  const chosen = architectures.filter((arch) => arch === named);
  if (chosen.length === 0) throw new Error(`--arch ${named}: ${architectures.join(' or ')} can be built`);
  return chosen;
}

async function buildAll(chosen: readonly Architecture[], withImages: boolean): Promise<void> {
  for (const arch of chosen) {
    const built = await makeFrontEnd(arch, say);
    if (built !== undefined) say(`built ${relative(projectDirectory, built.file)}: ${built.sizeBytes} bytes`);
  }
  const directory = await makeWorkDirectory(join(projectDirectory, 'dist'));
  try {
    const workshop = await openWorkshop(directory, chosen, say);
    const commit = await readCommit();
    const constants = buildConstants(commit);
    const jobs = programs.flatMap((program) => chosen.map((arch) => ({ program, arch })));
    await forEachOf(jobs, programsAtOnce, async ({ program, arch }) => {
      const startedMs = performance.now();
      const file = executablePath(program.name, arch);
      const built = await makeExecutable({ program, arch, constants, file }, workshop);
      say(describe(built, performance.now() - startedMs));
    });
    if (withImages) {
      const images = join(projectDirectory, 'dist/images');
      await makeImages({ architectures: chosen, commit, workDirectory: directory, directory: images, say });
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

function describe(built: Built, tookMs: number): string {
  const size = `${(built.sizeBytes / 1e6).toFixed(1)} MB`;
  const cache = `code cache ${Math.round(built.codeCacheBytes / 1e3)} KB`;
  return `${built.state} ${relative(projectDirectory, built.file)}: ${size}, ${cache}, ${(tookMs / 1e3).toFixed(1)} s`;
}

function say(line: string): void {
  process.stderr.write(`build: ${line}\n`);
}
