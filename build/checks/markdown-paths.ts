import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const inlineCode = /`(?<code>[^`\s]+)`/g;
const isSourceName = /\.(?:ts|mjs|c|h)$/;
/** Commands, variables, addresses and absolute paths are not paths of the repository. */
const isOther = /^[/~@.$-]|[$=:\\()]/;

/**
 * Every path in backticks in Markdown exists. A path begins with a folder of the repository, or it ends like a source file
 * and may then be the last part of a path: `sync-loop.ts` below a heading that names its folder. `*`, `{a,b}` and
 * `<placeholder>` stand for any name.
 */
export function checkMarkdownPaths(files: readonly SourceFile[]): readonly StructureFinding[] {
  const paths = pathsAndFolders(files);
  const topFolders = new Set([...paths].filter((path) => path.includes('/')).map((path) => path.split('/')[0] ?? ''));
  return files.filter(({ path }) => path.endsWith('.md')).flatMap((file) => checkFile(file, paths, topFolders));
}

function pathsAndFolders(files: readonly SourceFile[]): ReadonlySet<string> {
  return new Set(
    files.flatMap(({ path }) => {
      const parts = path.split('/');
      return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
    }),
  );
}

function checkFile(
  { path, text }: SourceFile,
  paths: ReadonlySet<string>,
  topFolders: ReadonlySet<string>,
): readonly StructureFinding[] {
  return text.split('\n').flatMap((content, index) => {
    const codes = [...content.matchAll(inlineCode)].map(({ groups }) => groups?.['code'] ?? '');
    const missing = codes.filter((code) => isPath(code, topFolders) && !exists(code, paths));
    return missing.map((code) => ({
      path,
      line: index + 1,
      what: `names ${code}, which does not exist`,
      rule: 'markdown-paths',
      remedy: 'name the present path',
    }));
  });
}

function isPath(code: string, topFolders: ReadonlySet<string>): boolean {
  if (isOther.test(code)) return false;
  const [top = '', ...rest] = code.split('/');
  return (topFolders.has(top) && rest.length > 0) || isSourceName.test(code);
}

function exists(code: string, paths: ReadonlySet<string>): boolean {
  const wanted = code.replace(/\/$/, '');
  if (paths.has(wanted)) return true;
  const pattern = new RegExp(`(?:^|/)${toPattern(wanted)}$`);
  return [...paths].some((path) => pattern.test(path));
}

function toPattern(glob: string): string {
  return glob
    .replaceAll(/[.+?^|[\]]/g, String.raw`\$&`)
    .replaceAll(/<[^>]*>/g, '[^/]+')
    .replaceAll('…', '.*')
    .replaceAll('**', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '.*')
    .replaceAll('{', '(?:')
    .replaceAll('}', ')')
    .replaceAll(',', '|');
}
