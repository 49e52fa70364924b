import { Header } from 'tar';
import type { HeaderData } from 'tar';

/** What an archive holds. */
export type ArchiveEntry = { readonly path: string } & (
  | { readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
);

/** An archive in memory, sorted by path, with the folders of its entries: the same entries give the same bytes. */
export function createTar(entries: readonly ArchiveEntry[]): Buffer {
  const folders = new Set(entries.flatMap(({ path }) => foldersAbove(path)));
  const records = [
    ...[...folders].map((path) => ({ path, bytes: header({ path, type: 'Directory', mode: 0o755, size: 0 }) })),
    ...entries.map((entry) => ({ path: entry.path, bytes: record(entry) })),
  ];
  // The path of a folder is a prefix of the paths in it, so it sorts before them.
  const sorted = records.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return Buffer.concat([...sorted.map(({ bytes }) => bytes), Buffer.alloc(2 * blockBytes)]);
}

const blockBytes = 512;

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => `${parts.slice(0, depth + 1).join('/')}/`);
}

function record(entry: ArchiveEntry): Buffer {
  const { path } = entry;
  if (entry.kind === 'link') {
    return header({ path, type: 'SymbolicLink', mode: 0o777, size: 0, linkpath: entry.target });
  }
  const { content, mode } = entry;
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  return Buffer.concat([header({ path, type: 'File', mode, size: content.length }), content, padding]);
}

/** Owned by root and from 1970, so that an archive does not depend on where and when it was made. */
function header(data: HeaderData & { readonly path: string }): Buffer {
  const fields = new Header({ uid: 0, gid: 0, mtime: new Date(0), ...data });
  const block = Buffer.alloc(blockBytes);
  const needsExtendedHeader = fields.encode(block);
  if (needsExtendedHeader) throw new Error(`too long for an archive: ${data.path}`);
  return block;
}
