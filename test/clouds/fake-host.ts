import type { Host } from '../../lib/host.ts';

/** A machine with these files and no programs. */
export function fakeHost(files: Readonly<Record<string, string>>): Host {
  return {
    readText: async (path) => (Object.hasOwn(files, path) ? files[path] : undefined),
    runCommand: async (commandLine) => Promise.reject(new Error(`there is no ${commandLine}`)),
    homeDirectory: '/home/nobody',
  };
}
