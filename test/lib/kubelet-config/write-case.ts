import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ConfigCase } from './corpus.ts';

/** The path for the kubelet's flag. */
export function writeCase(directory: string, { files }: ConfigCase): string {
  const names = Object.keys(files);
  for (const [name, text] of Object.entries(files)) {
    const file = join(directory, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  const [first = ''] = names;
  return first.includes('/') ? join(directory, dirname(first)) : join(directory, first);
}

/** The names in the cases. */
export const pluginNames = ['plugin-a', 'plugin-b'];

/** Executables with these names, in one directory. */
export function writePlugins(directory: string, names: readonly string[]): string {
  mkdirSync(directory, { recursive: true });
  for (const name of names) writeFileSync(join(directory, name), '#!/bin/sh\n', { mode: 0o755 });
  return directory;
}
