import { posix } from 'node:path';
import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

/** The folders that may contain code. `.oxlintrc.json` defines what each product folder may import. */
const productFolders = /^(?:schemas|lib|clouds|credential-provider|node-agent|ccm)\//;
const codeFolders =
  /^(?:(?:schemas|lib|credential-provider|node-agent|ccm|build|bench|test)\/|clouds\/(?:(?:cloud|index)\.ts$|[^/]+\/))/;
const isCode = /\.(?:ts|mts|mjs|js)$/;
const imported = /\b(?:from|import)\s*\(?\s*(?:'(?<single>[^'\n]*)'|"(?<double>[^"\n]*)")/g;
const computedImport = /\bimport\s*\(\s*[^'"\s]/;

/**
 * The part of the import rule that oxlint cannot enforce: code outside the known folders, `import()` of anything but a
 * plain string, and paths that are written so that the linter's patterns do not recognise them.
 */
export function checkImportPaths(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter(({ path }) => isCode.test(path)).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): readonly StructureFinding[] {
  if (!codeFolders.test(path)) {
    return [
      finding(path, 1, 'code outside the known folders', 'move it to the program, cloud or lib/ folder that uses it'),
    ];
  }
  if (!productFolders.test(path)) return [];
  return text.split('\n').flatMap((line, index) => {
    const specifiers = [...line.matchAll(imported)].map(({ groups }) => groups?.['single'] ?? groups?.['double'] ?? '');
    const indirect = specifiers.filter((specifier) => !isDirect(path, specifier));
    return [
      ...(computedImport.test(line)
        ? [finding(path, index + 1, 'imports a path that is computed', 'write the path as a plain string')]
        : []),
      ...indirect.map((each) => finding(path, index + 1, `imports ${each}`, 'use a direct relative path or a package')),
    ];
  });
}

/** A package, or a relative path inside the repository without detours such as `./../x` and `a/../b`. */
function isDirect(path: string, specifier: string): boolean {
  if (/^(?:\/|file:|data:|https?:)/.test(specifier)) return false;
  if (!specifier.startsWith('.')) return true;
  const target = posix.join(posix.dirname(path), specifier);
  const shortest = posix.relative(posix.dirname(path), target);
  return !target.startsWith('..') && specifier === (shortest.startsWith('.') ? shortest : `./${shortest}`);
}

function finding(path: string, line: number, what: string, remedy: string): StructureFinding {
  return { path, line, what, rule: 'import-path', remedy };
}
