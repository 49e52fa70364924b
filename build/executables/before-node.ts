import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { cacheDirectory } from '../cache-directory.ts';
import { compilerPackage, compilerWarnings, findCompiler, freestandingFlags } from './compiler.ts';
import { projectDirectory } from '../project.ts';
import { runOrThrow } from '../run.ts';
import { addToSegment, entryPoint, findPadding, readSingleSegment } from './segments.ts';
import { nodeVariables } from './start/node-variables.ts';

const source = join(projectDirectory, 'build/executables/start/before-node.c');

/**
 * Adds `start/before-node.c` to Node, to run before it; without a compiler, returns Node unchanged. Nothing else can
 * change the variables that Node reads before any JavaScript, and the limits of its process.
 */
export async function addBeforeNode(node: string, arch: Architecture, log: (line: string) => void): Promise<string> {
  const compiler = findCompiler(arch);
  if (compiler === undefined) {
    log(
      `${arch}: core dumps stay possible, since there is no compiler; hint: install ${compilerPackage(arch)} (Debian)`,
    );
    return node;
  }
  const elf = await readFile(node);
  const padding = findPadding(elf);
  const code = await compile(compiler, padding.address, entryPoint(elf));
  const hash = createHash('sha256').update(code).digest('hex').slice(0, 16);
  const cached = cacheDirectory(`node-linux-${arch}-${process.versions.node}`, `${basename(node)}-${hash}`);
  if (existsSync(cached)) return cached;
  addToSegment(elf, padding, readSingleSegment(code));
  const unfinished = `${cached}.${randomUUID()}`;
  await writeFile(unfinished, elf, { flag: 'wx' });
  await chmod(unfinished, 0o755);
  await rename(unfinished, cached);
  return cached;
}

/** Compiles to an ELF file with one segment, linked for its address. */
async function compile(compiler: string, begin: number, beginNode: number): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-before-node-'));
  try {
    const file = join(directory, 'before-node');
    const names = nodeVariables.map((name) => `"${name}"`).join();
    const linkFlags = ['-Wl,-N', `-Wl,-Ttext=0x${begin.toString(16)}`, `-Wl,--defsym=begin_node=${beginNode}`];
    const flags = [...compilerWarnings, ...freestandingFlags, `-DNODES_OWN=${names}`, ...linkFlags];
    await runOrThrow(compiler, [...flags, '-o', file, source], { stdin: '' });
    return await readFile(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}
