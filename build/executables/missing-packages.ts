import type { Architecture } from '../architecture.ts';
import { compilerPackage, findCompiler } from './compiler.ts';
import { commandPrefix, emulationPackages } from './emulation.ts';

/** Debian packages without which an architecture has no front end, or executables that start slower. */
export function missingPackages(architectures: readonly Architecture[]): readonly string[] {
  return architectures.flatMap((arch) => [
    ...(findCompiler(arch) === undefined ? [compilerPackage(arch)] : []),
    ...(commandPrefix(arch) === undefined ? emulationPackages(arch) : []),
  ]);
}
