import { Document } from 'yaml';
import type { VendorReplacement } from '../../schemas/vendor-config.ts';
import { printable } from '../printable.ts';
import { mistakesIn } from './parse-config.ts';

/** A configuration to copy. What it does not replace is in comments, one line each. */
export function replacementLines({ config, remarks }: VendorReplacement): readonly string[] {
  if (Object.keys(config).length === 0) {
    return [comment('polycloud needs no setting in place of this file'), ...remarks.map(comment)];
  }
  const document = new Document(config);
  const mistakes = mistakesIn(config);
  // A value that we would not accept is not repeated: it may be something else than its name says, such as a secret.
  for (const { path } of mistakes) document.setIn(path, null);
  const lines = document.toString({ lineWidth: 0, nullStr: '' }).trimEnd().split('\n');
  return [
    comment('polycloud needs these lines in place of this file:'),
    ...lines.map((line) => printable(line.trimEnd())),
    ...[...mistakes.map(({ text }) => `to be filled in: ${text}`), ...remarks].map(comment),
  ];
}

function comment(text: string): string {
  return `# ${text}`;
}
