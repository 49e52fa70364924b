import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

/** One `word replacement` on each line: identifiers, and names of files with their extension. */
const list = 'build/checks/retired-words.txt';
const isSource = /^(?:schemas|clouds|lib|credential-provider|node-agent|ccm|build|bench|test)\/.*\.(?:ts|mjs|c|h)$/;
/** What is skipped, as far as one line shows it; in a template what stands in `${}` is read. */
const prose = [
  /\/\/.*|\/\*[\s\S]*?\*\//,
  /'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/,
  /`(?:[^`\\$\n]|\\.)*(?:`|\$\{)|\}[^`$\n{}]*`/,
  /(?<=[:=(,[] ?)\/(?:[^/\\\n]|\\.)+\//,
];
const anyProse = new RegExp(prose.map(({ source }) => source).join('|'), 'g');

/** Names that were replaced by the words of Kubernetes, OCI, HTTP and Node.js, and must not come back. */
export function checkRetiredWords(files: readonly SourceFile[]): readonly StructureFinding[] {
  const replacements = readList(files.find(({ path }) => path === list)?.text ?? '');
  if (replacements.size === 0) return [];
  return files
    .filter(({ path }) => isSource.test(path))
    .flatMap((file) => [...checkFileName(file, replacements), ...checkIdentifiers(file, replacements)]);
}

function readList(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(
    lines.map((line) => {
      const [word = '', ...replacement] = line.split(' ');
      return [word, replacement.join(' ')];
    }),
  );
}

/** A test has the name of the file that it tests. */
function checkFileName({ path }: SourceFile, replacements: ReadonlyMap<string, string>): readonly StructureFinding[] {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const tested = name.replace(/\.test\.ts$/, '.ts');
  const replacement = replacements.get(name) ?? replacements.get(tested);
  return replacement === undefined ? [] : [finding(path, 1, name, replacement)];
}

function checkIdentifiers(
  { path, text }: SourceFile,
  replacements: ReadonlyMap<string, string>,
): readonly StructureFinding[] {
  const code = text.replaceAll(anyProse, (skipped) => skipped.replaceAll(/[^\n]/g, ' '));
  return code.split('\n').flatMap((content, index) => {
    const words = new Set(content.match(/[A-Za-z_$][\w$]*/g));
    return [...words].flatMap((word) => {
      const replacement = replacements.get(word);
      return replacement === undefined ? [] : [finding(path, index + 1, word, replacement)];
    });
  });
}

function finding(path: string, line: number, word: string, replacement: string): StructureFinding {
  return { path, line, what: `uses the retired name ${word}`, rule: 'retired-words', remedy: `use ${replacement}` };
}
