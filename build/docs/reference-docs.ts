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
 * Writes the generated pages: the configuration reference and its JSON Schema from the zod schema, the log lines from their
 * table, and the support table from the cells that name the tests. With `--check` it only compares them with the files.
 */
const markdown = { parser: 'markdown', printWidth: 120, proseWrap: 'always' } as const;
const schema = z.toJSONSchema(Config, { io: 'input' }) as Schema;
const outputs: Readonly<Record<string, string>> = {
  'docs/reference/configuration.md': await format(page(schema), markdown),
  'docs/reference/log.md': await format(logPage(), markdown),
  'docs/reference/support.md': await format(supportPage(), markdown),
  'schemas/config.schema.json': await format(JSON.stringify(schema), { parser: 'json', printWidth: 120 }),
};
const { values } = parseArgs({ options: { check: { type: 'boolean' } } });
for (const [path, text] of Object.entries(outputs)) {
  const file = join(projectDirectory, path);
  const current = await readFile(file, 'utf8').catch(() => '');
  if (current === text) continue;
  if (values.check !== true) await writeFile(file, text);
  else {
    process.stderr.write(`${path}: is out of date; hint: run the script build/docs/reference-docs.ts\n`);
    process.exitCode = 1;
  }
}

/** The part of JSON Schema that our configuration uses. */
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
  const byTopKey = Map.groupBy(rowsOf(root, ''), ({ key }) => key.split(/[.[]/, 1)[0] ?? '');
  const groups = [...byTopKey.values()];
  const single = groups.filter(({ length }) => length === 1).flat();
  const sections = groups.filter(({ length }) => length > 1).map(section);
  return `# Configuration

<!-- Made by build/docs/reference-docs.ts from schemas/config.ts. -->

All programs read one YAML file: \`/etc/polycloud/config.yaml\` if it exists, or the file of \`--config\`. A node of one cloud
needs none. Unknown keys are errors. [schemas/config.schema.json](../../schemas/config.schema.json) has the same as a JSON
Schema.

## General

${single.map(item).join('\n')}

${sections.join('\n\n')}
`;
}

function section([first, ...rows]: readonly Row[]): string {
  return first === undefined ? '' : `## \`${first.key}\`\n\n${first.description}\n\n${rows.map(item).join('\n')}`;
}

function item({ key, type, preset, description }: Row): string {
  const facts = [type, preset === '' || preset === 'required' ? preset : `default ${preset}`]
    .filter(Boolean)
    .join(', ');
  return `- \`${key}\`${facts === '' ? '' : ` (${facts})`}: ${description}`;
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

/** A key of several forms is listed once. */
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
