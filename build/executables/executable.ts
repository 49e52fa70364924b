import { mkdir, rename, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { bundleChunks } from './bundle.ts';
import type { Chunks } from './bundle.ts';
import { codeCacheName, copyCodeCaches, keepCodeCaches, train, writeChunks } from './code-cache.ts';
import { commandPrefix } from './emulation.ts';
import type { BuildRecord } from './build-record.ts';
import { buildKey, readRecord, removeRecord, writeRecord } from './build-record.ts';
import type { PackInput } from './pack.ts';
import type { Program } from './programs.ts';
import { projectDirectory } from '../project.ts';
import { runOrThrow } from '../run.ts';
import { sharedNodeFlags } from './single-executable.ts';
import type { Assets } from './single-executable.ts';
import type { BuildContext } from './build-context.ts';

export interface ExecutableSpec {
  readonly program: Program;
  readonly arch: Architecture;
  /** Names in the sources that get their value at build time, as JavaScript. */
  readonly constants: Readonly<Record<string, string>>;
  /** The path of the executable. */
  readonly file: string;
}

export interface BuildResult extends BuildRecord {
  readonly file: string;
  readonly state: 'built' | 'unchanged';
}

export function executablePath(program: string, arch: Architecture): string {
  return join(projectDirectory, 'dist', `linux-${arch}`, program);
}

/** The code caches of an executable, which a later build of the same commit can take. */
export function codeCachesOf(file: string): string {
  return join(dirname(file), '.code-caches', basename(file));
}

/** Builds one executable, unless the existing one was built from the same inputs. */
export async function makeExecutable(spec: ExecutableSpec, context: BuildContext): Promise<BuildResult> {
  const { program, arch, file } = spec;
  const nodeFlags = [...sharedNodeFlags, ...program.nodeFlags];
  const chunks = await bundleChunks(program.main, spec.constants);
  const key = await executableKey({ ...spec, chunks, nodeFlags }, context);
  const existing = await readRecord(file, key);
  if (existing !== undefined) return { ...existing, file, state: 'unchanged' };
  const assets = await makeAssets({ ...spec, chunks, nodeFlags }, context);
  const output = join(context.directory, `${program.name}-${arch}`);
  await pack({ arch, start: context.start, nodeFlags, assets, output }, context);
  const record = {
    key,
    sizeBytes: await totalSize([output]),
    codeCacheBytes: await totalSize(codeCacheFiles(chunks, assets)),
  };
  await mkdir(dirname(file), { recursive: true });
  await removeRecord(file);
  await keepCodeCaches(chunks, chunkDirectory(spec, context), codeCachesOf(file));
  await rename(output, file);
  await writeRecord(file, record);
  return { ...record, file, state: 'built' };
}

interface ExecutableInputs {
  readonly program: Program;
  readonly arch: Architecture;
  readonly chunks: Chunks;
  readonly nodeFlags: readonly string[];
}

function executableKey({ program, arch, chunks, nodeFlags }: ExecutableInputs, context: BuildContext): Promise<string> {
  const files = [context.start, context.training, join(projectDirectory, 'package-lock.json')];
  const facts = [
    program.trainingRuns,
    context.codeCaches,
    arch,
    context.nodes[arch],
    commandPrefix(arch) !== undefined,
    nodeFlags,
  ];
  return buildKey(files, [...facts, ...chunks]);
}

async function makeAssets(
  { program, arch, chunks, nodeFlags }: ExecutableInputs,
  context: BuildContext,
): Promise<Assets> {
  const directory = chunkDirectory({ program, arch }, context);
  const assets = await writeChunks(chunks, directory);
  if (context.codeCaches !== undefined) {
    await copyCodeCaches(chunks, join(context.codeCaches, `linux-${arch}`, program.name), directory);
    return assets;
  }
  const prefix = commandPrefix(arch);
  const command = [...(prefix ?? []), context.nodes[arch] ?? '', ...nodeFlags, context.training, directory];
  if (prefix !== undefined) await train(command, program.trainingRuns);
  return assets;
}

function chunkDirectory(
  { program, arch }: Pick<ExecutableInputs, 'program' | 'arch'>,
  { directory }: BuildContext,
): string {
  return join(directory, `${program.name}-${arch}-chunks`);
}

async function pack(input: PackInput, context: BuildContext): Promise<void> {
  const script = join(projectDirectory, 'build/executables/pack.ts');
  const env = { PATH: process.env['PATH'], HOME: context.pkgHome, TMPDIR: dirname(input.start) };
  await runOrThrow(process.execPath, [script, JSON.stringify(input)], { env, stdin: '' });
}

function codeCacheFiles(chunks: Chunks, assets: Assets): readonly string[] {
  return [...chunks.keys()].map((name) => assets[codeCacheName(name)] ?? '');
}

async function totalSize(files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map((file) => stat(file)));
  return found.reduce((sum, { size }) => sum + size, 0);
}
