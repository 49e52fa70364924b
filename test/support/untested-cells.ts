import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cellName } from './cells.ts';
import type { Cell } from './cells.ts';

/** Cells whose file has no test of their name: neither written out, nor made from the table by `cellsOf`. */
export async function untestedCells(cells: readonly Cell[], root: string): Promise<readonly string[]> {
  const files = [...new Set(cells.map(({ file }) => file))];
  const texts = await Promise.all(files.map(async (file) => [file, await readTest(join(root, file))] as const));
  const textOf = new Map(texts);
  return cells
    .filter((cell) => !hasTest(textOf.get(cell.file) ?? '', cell))
    .map((cell) => `${cell.file} has no test named ${cellName(cell)}`);
}

function readTest(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '');
}

/** At the beginning of a name, and ended or followed by more of it. */
function hasTest(text: string, cell: Cell): boolean {
  if (text.includes(`cellsOf('${cell.file}')`)) return true;
  const name = cellName(cell);
  return ["'", '"', '`'].some((quote) => [quote, ':', ','].some((end) => text.includes(`${quote}${name}${end}`)));
}
