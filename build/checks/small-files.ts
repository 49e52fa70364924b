import { posix } from 'node:path';
import type { SourceFile } from './source-tree.ts';

/** Below this a file seldom holds an idea of its own. */
const smallLines = 30;
const isProduct = /^(?:schemas|clouds|lib|credential-provider|node-agent|ccm|build)\/.*\.ts$/;
const importedFile = /\b(?:from|import)\s*\(?\s*'(?<specifier>\.[^'\n]*)'/g;

/**
 * Lists files below 30 lines that a single file imports: most belong to that file. A list and not a finding, since some
 * are right: what is loaded only when it is needed, a table, one definition of a cloud.
 */
export function listSmallFiles(files: readonly SourceFile[]): readonly string[] {
  const sources = files.filter(({ path }) => isProduct.test(path));
  const importers = new Map<string, Set<string>>();
  for (const { path, text } of sources) {
    for (const { groups } of text.matchAll(importedFile)) {
      const target = posix.join(posix.dirname(path), groups?.['specifier'] ?? '');
      importers.set(target, (importers.get(target) ?? new Set()).add(path));
    }
  }
  return sources.flatMap(({ path, text }) => {
    const lines = text.trimEnd().split('\n').length;
    const [importer, ...others] = importers.get(path) ?? [];
    if (lines >= smallLines || importer === undefined || others.length > 0) return [];
    return [`${path}: ${lines} lines, imported by ${importer} alone`];
  });
}
