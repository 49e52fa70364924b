import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Stored beside an executable: a hash of its inputs, and its sizes. */
export interface BuildRecord {
  readonly key: string;
  readonly sizeBytes: number;
  /** 0: the build machine could not run this architecture, so the executable starts slower. */
  readonly codeCacheBytes: number;
}

/** The same key means that a build would produce the same executable. */
export async function buildKey(files: readonly string[], facts: readonly unknown[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex');
}

/** `undefined`: the executable does not exist, or was built from other inputs. */
export async function readRecord(file: string, key: string): Promise<BuildRecord | undefined> {
  try {
    const record = JSON.parse(await readFile(recordPath(file), 'utf8')) as BuildRecord;
    const { size } = await stat(file);
    return record.key === key && record.sizeBytes === size ? record : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Called before the executable is replaced: an executable without a record is built again. */
export async function removeRecord(file: string): Promise<void> {
  await rm(recordPath(file), { force: true });
}

export async function writeRecord(file: string, record: BuildRecord): Promise<void> {
  await writeFile(recordPath(file), JSON.stringify(record));
}

function recordPath(file: string): string {
  return join(dirname(file), `.${basename(file)}.json`);
}
