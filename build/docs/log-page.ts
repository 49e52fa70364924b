import { logKeys, logLines } from '../../schemas/log.ts';

/** The page of the log lines, made from the table that writes them. */
export function logPage(): string {
  const lines = Object.values(logLines).map(({ message, severity, when, keys }) => {
    return `| ${message} | ${severity} | ${when} | ${keys.map((key) => `\`${key}\``).join(', ')} |`;
  });
  const keys = Object.entries(logKeys).map(([key, meaning]) => `| \`${key}\` | ${meaning} |`);
  return `# Log lines

<!-- Made by build/docs/log-page.ts from schemas/log.ts. -->

The controller and the agent write their log to standard error. \`--logging-format=text\` (the default) is klog's form,
\`--logging-format=json\` writes one object per line with \`ts\` (milliseconds), \`level\` (\`info\` or \`error\`), \`v\`, \`msg\`
and the keys. The lines below are written at every \`-v\`. Their messages and keys stay the same from version to version;
more keys may follow. \`-v 1\` also writes repeated failures and each call to a cloud.

| message | level | written when | keys |
| --- | --- | --- | --- |
${lines.join('\n')}

| key | meaning |
| --- | --- |
${keys.join('\n')}
`;
}
