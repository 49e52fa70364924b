import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';

/** A file of the repository; its path is relative to the root, with forward slashes. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** The names in .gitignore: dependencies and generated files. */
const ignored = /^(?:node_modules|dist|\.tap|\.git|.*\.log|.*\.tsbuildinfo)$/;

/** Every file of the tree, sorted by path. Reads the directories, not git, so that a copy without history can be checked. */
export async function readSourceTree(root: string): Promise<readonly SourceFile[]> {
  const paths = await filesBelow(root, '');
  const files = paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') }));
  return Promise.all(files);
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const kept = entries.filter((entry) => !ignored.test(entry.name));
  const lists = await Promise.all(
    kept.map(async (entry) => {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) return filesBelow(root, path);
      return entry.isFile() ? [path] : [];
    }),
  );
  return lists.flat().sort();
}
