import { createHash } from 'node:crypto';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Kept beside an executable: what it was made of and how it came out. */
export interface BuildRecord {
  readonly key: string;
  readonly sizeBytes: number;
  /** 0: there was no way to run this architecture here, so it starts slower. */
  readonly codeCacheBytes: number;
}

/** The same key: the same executable would come out. */
export async function buildKey(files: readonly string[], facts: readonly unknown[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  for (const file of files) hash.update(await readFile(file));
  return hash.digest('hex');
}

/** `undefined`: the executable is not there, or made of other things. */
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

/** To be called before the executable is replaced: one without a record is made again. */
export async function removeRecord(file: string): Promise<void> {
  await rm(recordPath(file), { force: true });
}

export async function writeRecord(file: string, record: BuildRecord): Promise<void> {
  await writeFile(recordPath(file), JSON.stringify(record));
}

function recordPath(file: string): string {
  return join(dirname(file), `.${basename(file)}.json`);
}
