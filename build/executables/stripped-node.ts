import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { cacheDirectory } from '../cache-directory.ts';
import { findProgram } from './emulation.ts';
import { runOrThrow } from '../run.ts';

/**
 * Removes the symbols of Node, 18 MB; without a tool for the architecture, returns Node unchanged. This must
 * happen before the program is added: afterwards it would remove the program.
 */
export async function strippedNode(node: string, arch: Architecture, log: (line: string) => void): Promise<string> {
  const tool = stripTool(arch);
  if (tool === undefined) {
    log(`${arch}: not stripped, so 18 MB larger; hint: install llvm or ${gnuTools[arch].debianPackage} (Debian)`);
    return node;
  }
  const cached = cacheDirectory(`node-linux-${arch}-${process.versions.node}`, 'node-stripped');
  if (existsSync(cached)) return cached;
  await mkdir(dirname(cached), { recursive: true });
  const unfinished = `${cached}.${randomUUID()}`;
  await runOrThrow(tool, ['-o', unfinished, node], { stdin: '' });
  await rename(unfinished, cached);
  return cached;
}

/** The LLVM tool supports every architecture, a GNU tool only its own. */
function stripTool(arch: Architecture): string | undefined {
  const gnu = arch === process.arch ? findProgram('strip') : findProgram(gnuTools[arch].file);
  return findProgram('llvm-strip') ?? gnu;
}

const gnuTools: Readonly<Record<Architecture, { readonly file: string; readonly debianPackage: string }>> = {
  x64: { file: 'x86_64-linux-gnu-strip', debianPackage: 'binutils-x86-64-linux-gnu' },
  arm64: { file: 'aarch64-linux-gnu-strip', debianPackage: 'binutils-aarch64-linux-gnu' },
};
