import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeWorkDirectory } from '../work-directory.ts';
import { withLock } from './build-lock.ts';
import { logTail } from '../log-tail.ts';
import { versionProblem } from './program-version.ts';
import type { ModuleProgram } from './program-version.ts';
import type { GoModule } from './go-module.ts';
import { startSupervised } from '../supervised-process.ts';

export interface GoBuildOptions {
  /** The Go command. */
  readonly go: string;
  /** Where the programs are put, each whole or not at all. */
  readonly directory: string;
  readonly progressEveryMs: number;
  say(line: string): void;
}

/** Builds those of the named programs that are not in the directory. They all come from this module. */
export async function buildPrograms(
  module: GoModule,
  names: readonly string[],
  options: GoBuildOptions,
): Promise<void> {
  const { directory, progressEveryMs } = options;
  const say = (line: string): void => options.say(`${module.name} ${module.version}: ${line}`);
  await mkdir(directory, { recursive: true });
  const wait = { retryAfterMs: 500, sayEveryMs: progressEveryMs, say };
  await withLock(join(directory, '.building'), wait, async () => {
    const missing = names.filter((name) => !existsSync(join(directory, name)));
    if (missing.length > 0) await build(module, missing, { ...options, say });
  });
}

async function build(module: GoModule, names: readonly string[], options: GoBuildOptions): Promise<void> {
  const work = await makeWorkDirectory(options.directory);
  try {
    const startedAtMs = performance.now();
    options.say(`building ${names.join(', ')}`);
    await runGo(module, names, { ...options, directory: work });
    for (const name of names) await moveInPlace({ module, name }, work, options.directory);
    options.say(`built in ${secondsSince(startedAtMs)} s`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function runGo(module: GoModule, names: readonly string[], options: GoBuildOptions): Promise<void> {
  const packages = names.map((name) => module.packages[name] ?? name);
  const [only] = names;
  // Several are named after their packages; one needs its name as an argument.
  const output = names.length === 1 && only !== undefined ? join(options.directory, only) : `${options.directory}/`;
  const how = ['-v', '-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags', module.linkerFlags];
  const child = await startSupervised({
    file: options.go,
    args: ['build', ...how, '-o', output, ...packages],
    env: { ...process.env, CGO_ENABLED: '0', GOOS: 'linux', GOARCH: goArchitecture(), GOWORK: 'off' },
    directory: module.directory,
    logFile: join(options.directory, 'build.log'),
  });
  const startedAtMs = performance.now();
  const progress = setInterval(() => void sayProgress(child.logFile, startedAtMs, options), options.progressEveryMs);
  await child.ended;
  clearInterval(progress);
  const ending = child.ending() ?? '';
  if (!ending.endsWith('code 0')) throw new Error(`go build ${ending}: ${await logTail(child.logFile, tailLines)}`);
}

const tailLines = 5;

function goArchitecture(): string {
  return process.arch === 'x64' ? 'amd64' : process.arch;
}

/** Go prints a line for each module that it fetches and each package that it compiles, and none while it links. */
async function sayProgress(logFile: string, startedAtMs: number, { say }: GoBuildOptions): Promise<void> {
  const lines = (await readFile(logFile, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  const fetched = lines.filter((line) => line.startsWith('go: downloading ')).length;
  const compiled = lines.filter((line) => !line.startsWith('go: ')).length;
  const counts = `${String(fetched)} modules fetched, ${String(compiled)} packages compiled`;
  say(`${secondsSince(startedAtMs)} s, ${counts}, last ${lines.at(-1) ?? 'nothing'}`);
}

async function moveInPlace(program: ModuleProgram, from: string, to: string): Promise<void> {
  const { name } = program;
  const objection = await versionProblem(program, join(from, name));
  if (objection !== undefined) throw new Error(objection);
  await rename(join(from, name), join(to, name));
}

function secondsSince(startedAtMs: number): string {
  return ((performance.now() - startedAtMs) / 1000).toFixed(0);
}
