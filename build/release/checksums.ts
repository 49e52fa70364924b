import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export interface FileHash {
  readonly name: string;
  /** In hexadecimal. */
  readonly sha256: string;
}

/** Sorted by name. */
export async function hashFiles(directory: string, names: readonly string[]): Promise<readonly FileHash[]> {
  return Promise.all(
    names.toSorted().map(async (name) => {
      const hash = createHash('sha256');
      await pipeline(createReadStream(join(directory, name)), hash);
      return { name, sha256: hash.digest('hex') };
    }),
  );
}

/** As `sha256sum --check` reads it. */
export function formatChecksums(hashes: readonly FileHash[]): string {
  return hashes.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join('');
}
