import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { format } from 'prettier';
import * as z from 'zod/mini';
import { Config } from '../../schemas/config.ts';
import { logPage } from './log-page.ts';
import { projectDirectory } from '../project.ts';
import { supportPage } from './support-table.ts';

/**
 * Writes the reference of our configuration and its JSON Schema from the schema that reads it, the log lines from the
 * table that writes them, and the support table from the cells that tests are named after. With `--check` it only says whether what is there is up to date.
 */
const schema = z.toJSONSchema(Config, { io: 'input' }) as Schema;
const outputs: Readonly<Record<string, string>> = {
  'docs/reference/configuration.md': await format(page(schema), { parser: 'markdown', printWidth: 120 }),
  'docs/reference/log.md': await format(logPage(), { parser: 'markdown', printWidth: 120 }),
  'docs/reference/support.md': await format(supportPage(), { parser: 'markdown', printWidth: 120 }),
  'schemas/config.schema.json': await format(JSON.stringify(schema), { parser: 'json', printWidth: 120 }),
};
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
for (const [path, text] of Object.entries(outputs)) {
  const file = join(projectDirectory, path);
  const current = await readFile(file, 'utf8').catch(() => '');
  if (current === text) continue;
  if (values.check !== true) await writeFile(file, text);
  else {
    process.stderr.write(`${path}: does not say what it is made from; run the script build/docs/reference-docs.ts\n`);
    process.exitCode = 1;
  }
}

/** As much of JSON Schema as our configuration uses. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  /** One of these forms. */
  readonly oneOf?: readonly Schema[];
  readonly const?: unknown;
}

interface Row {
  readonly key: string;
  readonly type: string;
  readonly preset: string;
  readonly description: string;
}

function page(root: Schema): string {
  const lines = rowsOf(root, '').map((row) => `| \`${row.key}\` | ${row.type} | ${row.preset} | ${row.description} |`);
  return `# Configuration

<!-- Made by build/docs/reference-docs.ts from schemas/config.ts. -->

One YAML file for all programs: \`/etc/polycloud/config.yaml\` if it is there, or the file that \`--config\` names. On a node of one cloud none is
needed. Unknown keys are errors. The same as a JSON Schema: [schemas/config.schema.json](../../schemas/config.schema.json).

| key | type | default | meaning |
| --- | --- | --- | --- |
${lines.join('\n')}
`;
}

function rowsOf({ properties = {}, required = [], oneOf = [] }: Schema, prefix: string): readonly Row[] {
  if (oneOf.length > 0) return merged(oneOf.flatMap((form) => rowsOf(form, prefix)));
  return Object.entries(properties).flatMap(([name, property]) => {
    const key = `${prefix}${name}`;
    const type = property.type === 'array' ? `list of ${property.items?.type ?? 'values'}s` : (property.type ?? '');
    const preset = required.includes(name) ? 'required' : presetOf(property);
    const row = { key, type, preset, description: property.description ?? '' };
    return [row, ...rowsOf(property, `${key}.`), ...rowsOf(property.items ?? {}, `${key}[].`)];
  });
}

/** What stands in several forms is said once. */
function merged(rows: readonly Row[]): readonly Row[] {
  const byKey = Map.groupBy(rows, ({ key }) => key);
  return [...byKey.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const descriptions = [first, ...others].map(({ description }) => description);
    return [{ ...first, description: descriptions.join(' Or: ') }];
  });
}

function presetOf({ default: value, properties }: Schema): string {
  return value === undefined || properties !== undefined ? '' : `\`${JSON.stringify(value)}\``;
}
