import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { Failure } from '../../lib/failure.ts';
import { parseJson } from '../../lib/json.ts';
import type { ChangedFile } from './file-change.ts';
import type { HostRoot } from './host-root.ts';
import { putFile } from './put-file.ts';

/** On the host. */
export const recordDirectory = '/var/lib/polycloud/install';
export const recordFile = join(recordDirectory, 'files.json');

const Record = z.strictObject({
  files: z.array(
    z.strictObject({
      path: z.string(),
      before: z.discriminatedUnion('kind', [
        z.strictObject({ kind: z.literal('absent') }),
        z.strictObject({ kind: z.literal('file'), backup: z.string(), mode: z.int() }),
        z.strictObject({ kind: z.literal('link'), target: z.string() }),
      ]),
      after: z.string(),
      earlier: z.optional(z.string()),
    }),
  ),
});

/** In the order of the changes. Empty: nothing is installed. */
export function readRecord(host: HostRoot): readonly ChangedFile[] {
  const text = host.readText(recordFile);
  if (text === undefined) return [];
  const parsed = Record.safeParse(parseJson(text));
  if (parsed.success) return parsed.data.files;
  // To go on without it would lose what was on the host before.
  throw new Failure('misconfigured', `${recordFile} on the host is not the record of an installation`, {
    remedy: 'compare it with the files that it names, then remove it',
  });
}

/** In one step. */
export function writeRecord(host: HostRoot, files: readonly ChangedFile[]): void {
  putFile(host, recordFile, (unfinished) => {
    writeFileSync(unfinished, `${JSON.stringify({ files }, null, 2)}\n`, { mode: 0o600 });
  });
}

export function removeRecord(host: HostRoot): void {
  rmSync(host.locate(recordDirectory), { recursive: true, force: true });
}
