import { posix } from 'node:path';
import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const index = 'docs/README.md';
const isPage = /^docs\/.*\.md$/;
const fencedCode = /^ *(`{3,})[^\n]*\n[\s\S]*?^ *\1`*$/gm;
const inlineCode = /`[^`\n]*`/g;
const link = /(?<image>!?)\[(?<label>[^\]]*)\]\((?<target>[^)\s]+)\)/g;
const heading = /^#{1,6} +(?<title>.*)$/gm;
const isElsewhere = /^[a-z]+:/;

interface Link {
  readonly line: number;
  readonly target: string;
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly anchor?: string;
  readonly isImageWithoutText: boolean;
}

/**
 * Every link in Markdown leads to a file, a folder or a heading of the repository, every picture has an alternative text,
 * and every page below `docs/` can be reached from `docs/README.md`.
 */
export function checkMarkdownLinks(files: readonly SourceFile[]): readonly StructureFinding[] {
  const pages = new Map(files.filter(({ path }) => path.endsWith('.md')).map((file) => [file.path, file.text]));
  const links = new Map([...pages].map(([path, text]) => [path, linksOf(path, text)]));
  const paths = new Set(files.flatMap(({ path }) => [path, ...foldersOf(path)]));
  const broken = [...links].flatMap(([path, all]) =>
    all.flatMap((each) => {
      const what = problemOf(each, paths, pages);
      return what === undefined ? [] : [{ path, line: each.line, what, rule: 'markdown-links', remedy: 'correct it' }];
    }),
  );
  return pages.has(index) ? [...broken, ...unreachable(links)] : broken;
}

function linksOf(path: string, text: string): readonly Link[] {
  const prose = text.replaceAll(fencedCode, blank).replaceAll(inlineCode, blank);
  return [...prose.matchAll(link)].flatMap(({ index: at, groups = {} }) => {
    const { target = '', image = '', label = '' } = groups;
    if (isElsewhere.test(target)) return [];
    const [file = '', anchor] = target.split('#', 2);
    return [
      {
        line: prose.slice(0, at).split('\n').length,
        target,
        path: file === '' ? path : posix.join(posix.dirname(path), file).replace(/\/$/, ''),
        ...(anchor !== undefined && { anchor }),
        isImageWithoutText: image !== '' && label.trim() === '',
      },
    ];
  });
}

/** Lines stay where they are. */
function blank(code: string): string {
  return code.replaceAll(/[^\n]/g, ' ');
}

function foldersOf(path: string): readonly string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, depth) => parts.slice(0, depth + 1).join('/'));
}

function problemOf(
  { target, path, anchor, isImageWithoutText }: Link,
  paths: ReadonlySet<string>,
  pages: ReadonlyMap<string, string>,
): string | undefined {
  if (isImageWithoutText) return `shows ${target} without an alternative text`;
  if (!paths.has(path)) return `links to ${target}, which does not exist`;
  const page = pages.get(path);
  if (anchor === undefined || page === undefined || anchorsOf(page).has(anchor)) return undefined;
  return `links to ${target}, which has no such heading`;
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...text.replaceAll(fencedCode, blank).matchAll(heading)].map(({ groups }) => groups?.['title'] ?? '');
  const counts = new Map<string, number>();
  return new Set(
    titles.map((title) => {
      const plain = title.replaceAll(/\[(?<label>[^\]]*)\]\([^)]*\)/g, '$<label>').toLowerCase();
      const anchor = plain
        .replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-');
      const count = counts.get(anchor) ?? 0;
      counts.set(anchor, count + 1);
      return count === 0 ? anchor : `${anchor}-${count}`;
    }),
  );
}

function unreachable(links: ReadonlyMap<string, readonly Link[]>): readonly StructureFinding[] {
  const reached = new Set([index]);
  for (const page of reached) {
    const targets = new Set(links.get(page)?.map(({ path }) => path));
    for (const path of links.keys()) {
      if (isPage.test(path) && (targets.has(path) || targets.has(posix.dirname(path)))) reached.add(path);
    }
  }
  const lost = [...links.keys()].filter((path) => isPage.test(path) && !reached.has(path));
  const finding = { line: 1, what: `cannot be reached from ${index}`, rule: 'markdown-links' };
  return lost.map((path) => ({
    path,
    ...finding,
    remedy: `link to it from ${index}, or from a page that is linked there`,
  }));
}
