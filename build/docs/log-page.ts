import { logKeys } from '../../schemas/log-keys.ts';
import { logLines } from '../../schemas/log.ts';

/** The page of the log lines, generated from the table that the programs write them from. */
export function logPage(): string {
  const lines = Object.values(logLines).map(({ message, severity, when, keys }) => {
    const listed = keys.length === 0 ? 'none' : keys.map((key) => `\`${key}\``).join(', ');
    return `- **${message}** (${severity}): ${when}. Keys: ${listed}.`;
  });
  const keys = Object.entries(logKeys).map(([key, meaning]) => `- \`${key}\`: ${meaning}`);
  return `# Log lines

<!-- Made by build/docs/log-page.ts from schemas/log.ts. -->

The controller and the agent write their log to standard error. \`--logging-format=text\` (the default) is klog's format.
\`--logging-format=json\` writes one object per line with \`ts\` (milliseconds), \`level\` (\`info\` or \`error\`), \`v\`, \`msg\`
and the keys. The programs write the lines below at every \`-v\`. Messages and keys stay the same from version to version;
a line can have more keys. With \`-v 1\` the log also has repeated failures and each request to a cloud.

## Lines

${lines.join('\n')}

## Keys

${keys.join('\n')}
`;
}
