import type { Architecture } from '../architecture.ts';
import { findProgram } from './emulation.ts';

export function findCompiler(arch: Architecture): string | undefined {
  const own = arch === process.arch ? findProgram('gcc') : undefined;
  return findProgram(`${gnuArchitectures[arch]}-linux-gnu-gcc`) ?? own;
}

const gnuArchitectures: Readonly<Record<Architecture, string>> = { x64: 'x86_64', arm64: 'aarch64' };

export function compilerPackage(arch: Architecture): string {
  return arch === process.arch ? 'gcc' : `gcc-${gnuArchitectures[arch].replace('_', '-')}-linux-gnu`;
}

/** Every warning is an error. */
export const compilerWarnings = ['-std=gnu11', '-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror'];

/** No C library, and nothing that a compiler expects of one. */
export const freestandingFlags: readonly string[] = (
  '-Os -ffreestanding -fno-stack-protector -fno-asynchronous-unwind-tables -fno-pie -no-pie -nostdlib -static -s ' +
  '-Wl,-e,begin -Wl,--build-id=none -Wl,-z,noexecstack'
).split(' ');
