/** What an archive holds, in the order of its paths; a folder is there once something in it is. */
export type ArchiveEntry = { readonly path: string } & (
  | { readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string }
);

/**
 * The same bytes for the same entries, whoever makes them and whenever: everything is root's and of the year 1970.
 * https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
 */
export function createTar(entries: readonly ArchiveEntry[]): Buffer {
  const sorted = entries.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const folders = [...new Set(sorted.flatMap(({ path }) => foldersAbove(path)))].map((path) => ({
    path,
    text: header(path, folder),
  }));
  const files = sorted.map((entry) => ({ path: entry.path, text: record(entry) }));
  // A folder's path is the beginning of what is in it, so it sorts before.
  const all = [...folders, ...files].toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return Buffer.concat([...all.map(({ text }) => text), Buffer.alloc(2 * blockBytes)]);
}

const blockBytes = 512;

interface HeaderFields {
  readonly mode: number;
  readonly type: '0' | '2' | '5';
  readonly sizeBytes: number;
  readonly target: string;
}

const folder: HeaderFields = { mode: 0o755, type: '5', sizeBytes: 0, target: '' };

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, depth) => `${parts.slice(0, depth + 1).join('/')}/`);
}

function record(entry: ArchiveEntry): Buffer {
  if (entry.kind === 'link') return header(entry.path, { mode: 0o777, type: '2', sizeBytes: 0, target: entry.target });
  const { content, mode, path } = entry;
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  return Buffer.concat([header(path, { mode, type: '0', sizeBytes: content.length, target: '' }), content, padding]);
}

/** Offset and length of each field of a header. */
const fields = {
  path: [0, 100],
  mode: [100, 8],
  user: [108, 8],
  group: [116, 8],
  size: [124, 12],
  changed: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  target: [157, 100],
  format: [257, 8],
} as const;

function header(path: string, { mode, type, sizeBytes, target }: HeaderFields): Buffer {
  const block = Buffer.alloc(blockBytes);
  const put = (field: keyof typeof fields, text: string): void => {
    const [at, longest] = fields[field];
    if (Buffer.byteLength(text) > longest) throw new Error(`too long for an archive: ${text}`);
    block.write(text, at);
  };
  const number = (value: number, [, length]: readonly [number, number]): string =>
    `${value.toString(8).padStart(length - 1, '0')}\0`;
  put('path', path);
  put('mode', number(mode, fields.mode));
  put('user', number(0, fields.user));
  put('group', number(0, fields.group));
  put('size', number(sizeBytes, fields.size));
  put('changed', number(0, fields.changed));
  put('type', type);
  put('target', target);
  put('format', 'ustar\u000000');
  // It is counted as if it were blanks itself.
  put('checksum', ' '.repeat(8));
  const sum = block.reduce((total, byte) => total + byte, 0);
  put('checksum', `${sum.toString(8).padStart(6, '0')}\0 `);
  return block;
}
