import { mkdir, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Architecture } from './architecture.ts';
import { bundleInPieces } from './bundle.ts';
import type { Pieces } from './bundle.ts';
import { codeCacheOf, train, writePieces } from './code-cache.ts';
import { commandPrefix } from './emulation.ts';
import type { BuildRecord } from './build-record.ts';
import { keyOf, readRecord, removeRecord, writeRecord } from './build-record.ts';
import type { Parts } from './pack.ts';
import type { Program } from './programs.ts';
import { projectDirectory } from './project.ts';
import { runOrThrow } from './run.ts';
import { sharedNodeFlags } from './single-executable.ts';
import type { Assets } from './single-executable.ts';
import type { Workshop } from './workshop.ts';

export interface Order {
  readonly program: Program;
  readonly arch: Architecture;
  /** Names in the sources whose values are known only now, as JavaScript. */
  readonly constants: Readonly<Record<string, string>>;
  /** Where the executable goes. */
  readonly file: string;
}

export interface Built extends BuildRecord {
  readonly file: string;
  readonly state: 'built' | 'unchanged';
}

export function executablePath(program: string, arch: Architecture): string {
  return join(projectDirectory, 'dist', `linux-${arch}`, program);
}

/** Makes one executable, unless the one in its place was made of the same things. */
export async function makeExecutable(order: Order, workshop: Workshop): Promise<Built> {
  const { program, arch, file } = order;
  const nodeFlags = [...sharedNodeFlags, ...program.nodeFlags];
  const pieces = await bundleInPieces(program.main, order.constants);
  const key = await keyOfExecutable({ ...order, pieces, nodeFlags }, workshop);
  const earlier = await readRecord(file, key);
  if (earlier !== undefined) return { ...earlier, file, state: 'unchanged' };
  const assets = await makeAssets({ ...order, pieces, nodeFlags }, workshop);
  const output = join(workshop.directory, `${program.name}-${arch}`);
  await pack({ arch, start: workshop.start, nodeFlags, assets, output }, workshop);
  const record = { key, sizeBytes: await sizeOf([output]), codeCacheBytes: await sizeOf(codeCaches(pieces, assets)) };
  await mkdir(dirname(file), { recursive: true });
  await removeRecord(file);
  await rename(output, file);
  await writeRecord(file, record);
  return { ...record, file, state: 'built' };
}

interface Ingredients {
  readonly program: Program;
  readonly arch: Architecture;
  readonly pieces: Pieces;
  readonly nodeFlags: readonly string[];
}

function keyOfExecutable({ program, arch, pieces, nodeFlags }: Ingredients, workshop: Workshop): Promise<string> {
  const files = [workshop.start, workshop.training, join(projectDirectory, 'package-lock.json')];
  const facts = [program.trainingRuns, arch, workshop.nodes[arch], commandPrefix(arch) !== undefined, nodeFlags];
  return keyOf(files, [...facts, ...pieces]);
}

async function makeAssets({ program, arch, pieces, nodeFlags }: Ingredients, workshop: Workshop): Promise<Assets> {
  const directory = join(workshop.directory, `${program.name}-${arch}-pieces`);
  const assets = await writePieces(pieces, directory);
  const prefix = commandPrefix(arch);
  const command = [...(prefix ?? []), workshop.nodes[arch] ?? '', ...nodeFlags, workshop.training, directory];
  if (prefix !== undefined) await train(command, program.trainingRuns);
  return assets;
}

async function pack(parts: Parts, workshop: Workshop): Promise<void> {
  const script = join(projectDirectory, 'build/pack.ts');
  const env = { PATH: process.env['PATH'], HOME: workshop.pkgHome, TMPDIR: dirname(parts.start) };
  await runOrThrow(process.execPath, [script, JSON.stringify(parts)], { env, stdin: '' });
}

function codeCaches(pieces: Pieces, assets: Assets): readonly string[] {
  return [...pieces.keys()].map((name) => assets[codeCacheOf(name)] ?? '');
}

async function sizeOf(files: readonly string[]): Promise<number> {
  const found = await Promise.all(files.map((file) => stat(file)));
  return found.reduce((sum, { size }) => sum + size, 0);
}
