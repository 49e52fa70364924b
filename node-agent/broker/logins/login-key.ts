import { createHash } from 'node:crypto';
import type { Found } from '../../../lib/image-login/find-registry.ts';

/**
 * What a login is kept under: the registry as the cloud knows it, and who asks. A hash, so that no token stands in it,
 * and of a JSON list, so that no two different lists give the same text.
 */
export function loginKey({ cloud, registry }: Found, asker: readonly unknown[]): string {
  const place = [cloud, sorted(registry)];
  return createHash('sha256')
    .update(JSON.stringify([place, asker]))
    .digest('base64url');
}

/** The same for the same content, in whatever order it was written. */
export function sorted(record: object): readonly (readonly [string, unknown])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
