import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Architecture } from '../architecture.ts';

/** The words to put before a program to run it here: none for the machine's own, `undefined` when it can't be run. */
export function commandPrefix(arch: Architecture): readonly string[] | undefined {
  if (arch === process.arch) return [];
  const { emulator, libraries } = emulators[arch];
  const file = findProgram(emulator);
  return file === undefined || !existsSync(libraries) ? undefined : [file, '-L', libraries];
}

/** Debian's packages that make the other architecture's executables run. */
export function emulationPackages(arch: Architecture): readonly string[] {
  if (arch === process.arch) return [];
  const { debian } = emulators[arch];
  return ['qemu-user', `libc6-${debian}-cross`, `libstdc++6-${debian}-cross`, `libgcc-s1-${debian}-cross`];
}

export function findProgram(name: string): string | undefined {
  const directories = (process.env['PATH'] ?? '').split(delimiter).filter((directory) => directory !== '');
  return directories.map((directory) => join(directory, name)).find((file) => existsSync(file));
}

interface Emulator {
  readonly emulator: string;
  readonly libraries: string;
  readonly debian: string;
}

const emulators: Readonly<Record<Architecture, Emulator>> = {
  x64: { emulator: 'qemu-x86_64', libraries: '/usr/x86_64-linux-gnu', debian: 'amd64' },
  arm64: { emulator: 'qemu-aarch64', libraries: '/usr/aarch64-linux-gnu', debian: 'arm64' },
};
