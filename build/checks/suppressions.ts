import type { StructureFinding } from './finding.ts';
import type { SourceFile } from './source-tree.ts';
import { tokenize } from './tokens.ts';
import type { Token } from './tokens.ts';

const isCode = /\.(?:ts|mts|mjs|js)$/;
const suppresses = /^(?:\/\/|\/\*)\s*(?:oxlint|eslint)-(?:disable|enable)/;
const singleLineWithReason = /^\/\/ oxlint-disable-next-line [\w/-]+(?:, [\w/-]+)* -- \S+ \S/;

/** A rule may be switched off for one line, by its name, with the reason beside it. */
export function checkSuppressions(files: readonly SourceFile[]): readonly StructureFinding[] {
  return files.filter((file) => isCode.test(file.path)).flatMap(checkFile);
}

function checkFile({ path, text }: SourceFile): readonly StructureFinding[] {
  if (!/(?:oxlint|eslint)-(?:disable|enable)/.test(text)) return [];
  return tokenize(text)
    .filter(lacksReason)
    .map(({ line }) => ({
      path,
      line,
      what: 'switches a lint rule off without saying why, or for more than one line',
      rule: 'founded-suppressions',
      remedy: 'write `// oxlint-disable-next-line rule -- reason`, or better, mend the code',
    }));
}

function lacksReason(token: Token): boolean {
  return token.kind === 'comment' && suppresses.test(token.text) && !singleLineWithReason.test(token.text);
}
