import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Architecture } from '../architecture.ts';

/** The command to put before a program of this architecture: empty for the machine's own, `undefined` if none runs it. */
export function commandPrefix(arch: Architecture): readonly string[] | undefined {
  if (arch === process.arch) return [];
  const { emulator, libraries } = emulators[arch];
  const file = findProgram(emulator);
  return file === undefined || !existsSync(libraries) ? undefined : [file, '-L', libraries];
}

/** The Debian packages that are needed to run the executables of the other architecture. */
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
