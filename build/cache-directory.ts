import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * A place outside the work tree for what is slow to get and never changes, so that every clone shares it. Name what is
 * kept there by its version or hash: nothing in it is ever looked at for age. The directory is not made here.
 */
export function cacheDirectory(...parts: readonly string[]): string {
  const base = process.env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'polycloud', ...parts);
}
