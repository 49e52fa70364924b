/** What goes into an archive. Everything is root's, and of the same moment, so that the same content is the same file. */
export type TarEntry =
  | { readonly path: string; readonly kind: 'file'; readonly content: Buffer; readonly mode: number }
  | { readonly path: string; readonly kind: 'link'; readonly target: string }
  | { readonly path: string; readonly kind: 'directory'; readonly mode: number };

const blockBytes = 512;

/** An archive in the ustar format. */
export function tar(entries: readonly TarEntry[]): Buffer {
  const parts = entries.flatMap((entry) => {
    const content = entry.kind === 'file' ? entry.content : Buffer.alloc(0);
    return [header(entry, content.length), content, Buffer.alloc(restOfBlock(content.length))];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * blockBytes)]);
}

function restOfBlock(sizeBytes: number): number {
  return (blockBytes - (sizeBytes % blockBytes)) % blockBytes;
}

const typeFlags = { file: '0', link: '2', directory: '5' } as const;

function header(entry: TarEntry, sizeBytes: number): Buffer {
  if (entry.path.length > 100) throw new Error(`${entry.path} is too long for the archive`);
  const block = Buffer.alloc(blockBytes);
  block.write(entry.path, 0);
  block.write(octal('mode' in entry ? entry.mode : 0o777, 8), 100);
  block.write(octal(0, 8), 108);
  block.write(octal(0, 8), 116);
  block.write(octal(sizeBytes, 12), 124);
  block.write(octal(0, 12), 136);
  // The sum is taken with blanks in its own place.
  block.write(' '.repeat(8), 148);
  block.write(typeFlags[entry.kind], 156);
  if (entry.kind === 'link') block.write(entry.target, 157);
  block.write('ustar\u000000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

function octal(value: number, width: number): string {
  return `${value.toString(8).padStart(width - 1, '0')}\0`;
}
