import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Architecture } from './architecture.ts';
import { bundle } from './bundle.ts';
import { train } from './code-cache.ts';
import { commandPrefix } from './emulation.ts';
import type { BuildRecord } from './build-record.ts';
import { keyOf, readRecord, removeRecord, writeRecord } from './build-record.ts';
import type { Parts } from './pack.ts';
import type { Program } from './programs.ts';
import { projectDirectory } from './project.ts';
import { runOrThrow } from './run.ts';
import { nodeFlags } from './single-executable.ts';
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
  const { file } = order;
  const code = await bundle(order.program.main, order.constants);
  const key = await keyOfExecutable(order, code, workshop);
  const earlier = await readRecord(file, key);
  if (earlier !== undefined) return { ...earlier, file, state: 'unchanged' };
  const assets = await makeAssets(order, code, workshop);
  const output = join(workshop.directory, `${order.program.name}-${order.arch}`);
  await pack({ arch: order.arch, start: workshop.start, assets, output }, workshop);
  const record = { key, sizeBytes: await sizeOf(output), codeCacheBytes: await sizeOf(assets['code-cache']) };
  await mkdir(dirname(file), { recursive: true });
  await removeRecord(file);
  await rename(output, file);
  await writeRecord(file, record);
  return { ...record, file, state: 'built' };
}

function keyOfExecutable({ program, arch }: Order, code: Buffer, workshop: Workshop): Promise<string> {
  const files = [workshop.start, workshop.training, join(projectDirectory, 'package-lock.json')];
  const facts = [program.trainingRuns, arch, workshop.nodes[arch], commandPrefix(arch) !== undefined, nodeFlags];
  return keyOf(code, files, facts);
}

async function makeAssets({ program, arch }: Order, code: Buffer, workshop: Workshop): Promise<Assets> {
  const files = {
    training: workshop.training,
    bundle: join(workshop.directory, `${program.name}-${arch}.cjs`),
    codeCache: join(workshop.directory, `${program.name}-${arch}.code-cache`),
  };
  await writeFile(files.bundle, code);
  await writeFile(files.codeCache, '');
  const prefix = commandPrefix(arch);
  if (prefix !== undefined) await train([...prefix, workshop.nodes[arch] ?? ''], files, program.trainingRuns);
  return { bundle: files.bundle, 'code-cache': files.codeCache };
}

async function pack(parts: Parts, workshop: Workshop): Promise<void> {
  const script = join(projectDirectory, 'build/pack.ts');
  const env = { PATH: process.env['PATH'], HOME: workshop.pkgHome, TMPDIR: dirname(parts.start) };
  await runOrThrow(process.execPath, [script, JSON.stringify(parts)], { env, stdin: '' });
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file)).size;
}
