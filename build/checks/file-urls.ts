import { posix } from 'node:path';
import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const fileUrl = /new URL\('(?<target>[^'$]+)', import\.meta\.url\)/g;

/**
 * Every file that is named relative to `import.meta.url` exists. Such files are run or read, not imported, so the
 * compiler does not miss them after a rename.
 */
export function checkFileUrls(files: readonly SourceFile[]): readonly StructureFinding[] {
  const paths = new Set(files.map(({ path }) => path));
  const folders = new Set([...paths].flatMap(foldersOf));
  return files
    .filter(({ path }) => /\.m?ts$/.test(path))
    .flatMap(({ path, text }) =>
      text.split('\n').flatMap((content, index) =>
        [...content.matchAll(fileUrl)].flatMap(({ groups }) => {
          const target = posix.join(posix.dirname(path), groups?.['target'] ?? '').replace(/\/$/, '');
          if (paths.has(target) || folders.has(target)) return [];
          return [{ path, line: index + 1, what: `${target} does not exist`, rule: 'file-urls', remedy: 'correct it' }];
        }),
      ),
    );
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return ['.', ...parts.map((_, index) => parts.slice(0, index + 1).join('/'))];
}
