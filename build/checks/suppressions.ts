import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';

const isCode = /\.(?:ts|mts|mjs|js)$/;
const suppression = /\/[/*]\s*(?:oxlint|eslint)-(?:disable|enable).*/;
const singleLineWithReason = /^\/\/ oxlint-disable-next-line [\w/-]+(?:, [\w/-]+)* -- \S+ \S/;

/** A lint rule may be disabled for one line, by its name, with the reason beside it. */
export function checkSuppressions(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter((file) => isCode.test(file.path)).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): readonly StructureFinding[] {
  return text.split('\n').flatMap((line, index) => {
    const found = suppression.exec(line)?.[0];
    if (found === undefined || singleLineWithReason.test(found)) return [];
    return [
      {
        path,
        line: index + 1,
        what: 'disables a lint rule without a reason, or for more than one line',
        rule: 'founded-suppressions',
        remedy: 'write `// oxlint-disable-next-line rule -- reason`, or better, fix the code',
      },
    ];
  });
}
