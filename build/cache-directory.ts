import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * A directory outside the work tree, shared by all clones, for files that are slow to get and never change. Their names
 * must contain a version or a hash: nothing expires. This function does not create the directory.
 */
export function cacheDirectory(...parts: readonly string[]): string {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'polycloud', ...parts);
}
