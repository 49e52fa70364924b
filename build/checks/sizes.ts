import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

/** Blank lines and comments count: a reader scrolls through them too. */
const maxLines = 300;
const isCounted = /\.(?:ts|mts|mjs|js|c|h)$/;

export function checkSizes(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter((file) => isCounted.test(file.path)).flatMap(checkSize);
}

function checkSize({ path, text }: SourceFile): readonly StructureFinding[] {
  const lines = text.replace(/\n$/, '').split('\n').length;
  if (lines <= maxLines) return [];
  const remedy = 'split it where its ideas part';
  return [{ path, line: maxLines + 1, what: `${lines} lines, ${maxLines} are allowed`, rule: 'file-size', remedy }];
}
