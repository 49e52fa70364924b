import * as z from 'zod/mini';
import type { CloudTraits } from '../../clouds/cloud.ts';
import { Config } from '../../schemas/config.ts';
import { commandsPage } from './commands-page.ts';
import { logPage } from './log-page.ts';
import { supportPage } from './support-table.ts';

/**
 * The generated pages: the configuration reference and its JSON Schema from the zod schema, the log lines from their
 * table, commands and flags from the programs' descriptions, and what is supported from the clouds' traits and from the
 * cells that name the tests.
 */
export function documents(clouds: readonly CloudTraits[]): Readonly<Record<string, string>> {
  const schema = z.toJSONSchema(Config, { io: 'input' }) as Schema;
  return {
    'docs/reference/commands.md': commandsPage(),
    'docs/reference/configuration.md': page(schema),
    'docs/reference/log.md': logPage(),
    'docs/reference/support.md': supportPage(clouds),
    'schemas/config.schema.json': JSON.stringify(schema),
  };
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

<!-- Made by build/docs/documents.ts from schemas/config.ts. -->

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
