import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { provider } from '../provider.ts';

/** A directory with our executable under these names, removed after the test. */
export function linkProvider(
  t: Test,
  names: readonly string[],
): { readonly directory: string; path(name: string): string } {
  const directory = mkdtempSync(join(tmpdir(), 'polycloud-links-'));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const links = join(directory, 'bin');
  mkdirSync(links);
  for (const name of names) symlinkSync(provider, join(links, name));
  return { directory, path: (name) => join(links, name) };
}
