import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const maxCharacters = 120;
const fence = /^\s*(?:```|~~~)/;
const tableRow = /^\s*\|/;
/** Nothing but indentation, list markers and one long word, such as a link. */
const singleWord = /^\s*(?:(?:[-*>]|\d+\.) +)*\S+$/;

/** Lines of Markdown have at most 120 characters. Fenced code, tables and a long word on a line of its own do not break. */
export function checkMarkdownLines(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter(({ path }) => path.endsWith('.md')).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): readonly StructureFinding[] {
  let isInFence = false;
  return text.split('\n').flatMap((content, index) => {
    if (fence.test(content)) isInFence = !isInFence;
    const cannotBreak = isInFence || [fence, tableRow, singleWord].some((form) => form.test(content));
    if (cannotBreak || content.length <= maxCharacters) return [];
    const remedy = 'break it; a table with sentences reads better as a list';
    return [{ path, line: index + 1, what: `${content.length} characters`, rule: 'markdown-lines', remedy }];
  });
}
