import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const maxCharacters = 120;
const maxCellCharacters = 100;
const fence = /^\s*(?:```|~~~)/;
const tableRow = /^\s*\|/;
/** A `|` that does not end a cell has a backslash before it. */
const cellEnd = /(?<!\\)\|/;
/** Nothing but indentation, list markers and one long word, such as a link. */
const singleWord = /^\s*(?:(?:[-*>]|\d+\.) +)*\S+$/;

/**
 * Lines of Markdown have at most 120 characters, and cells of tables at most 100. Fenced code and a long word on a line of
 * its own do not break.
 */
export function checkMarkdownLines(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter(({ path }) => path.endsWith('.md')).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): readonly StructureFinding[] {
  let isInFence = false;
  return text.split('\n').flatMap((content, index) => {
    if (fence.test(content)) isInFence = !isInFence;
    const problem = isInFence ? undefined : problemOf(content);
    return problem === undefined ? [] : [{ path, line: index + 1, rule: 'markdown-lines', ...problem }];
  });
}

function problemOf(line: string): Pick<StructureFinding, 'what' | 'remedy'> | undefined {
  if (tableRow.test(line)) {
    const longest = Math.max(...line.split(cellEnd).map((cell) => cell.trim().length));
    if (longest <= maxCellCharacters) return undefined;
    return {
      what: `a table cell with ${longest} characters`,
      remedy: 'shorten it, or write a list instead of the table',
    };
  }
  const cannotBreak = [fence, singleWord].some((form) => form.test(line));
  if (cannotBreak || line.length <= maxCharacters) return undefined;
  return { what: `${line.length} characters`, remedy: 'break it' };
}
