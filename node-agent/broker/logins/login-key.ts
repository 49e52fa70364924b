import { createHash } from 'node:crypto';
import type { ResolvedRegistry } from '../../../lib/registry-login/resolve-registry.ts';
import type { Config } from '../../../schemas/config.ts';

interface LoginKeyInput {
  readonly resolved: Pick<ResolvedRegistry, 'cloud' | 'registry'>;
  /** A request that began under the last one must not leave its login to those of the next. */
  readonly config: Config;
}

/**
 * What a login is kept under: the registry as the cloud knows it, and who asks. A hash, so that no token stands in it,
 * and of a JSON list, so that no two different lists give the same text.
 */
export function loginKey(
  { resolved: { cloud, registry }, config }: LoginKeyInput,
  identityParts: readonly unknown[],
): string {
  return createHash('sha256')
    .update(JSON.stringify([cloud, sortedEntries(registry), config, identityParts]))
    .digest('base64url');
}

/** The same for the same content, in whatever order it was written. */
export function sortedEntries(record: object): readonly (readonly [string, unknown])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
