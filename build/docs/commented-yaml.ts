import { stringify } from 'yaml';

/** The part of JSON Schema that our configuration uses. */
export interface ConfigSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly additionalProperties?: ConfigSchema | false;
  readonly required?: readonly string[];
  readonly items?: ConfigSchema;
  /** One of these forms. */
  readonly oneOf?: readonly ConfigSchema[];
}

const width = 110;

/**
 * A setting as YAML, with its explanation in lines that begin with `##`. A setting without a default, or a group of such
 * settings, is in lines that begin with `#`, with examples: the file without these lines means the same, and the file
 * with them is valid too.
 */
export function commentedYaml(key: string, schema: ConfigSchema): readonly string[] {
  const body = isGroup(schema) ? group(key, schema) : leaf(key, schema);
  const isOn = hasDefault(schema);
  return [...explanation(schema).flatMap(comment), ...itemKeys(schema), ...(isOn ? body : body.map(commentedOut))];
}

/** Each of its settings has an explanation of its own. */
function isGroup({ properties, examples }: ConfigSchema): boolean {
  return properties !== undefined && examples === undefined;
}

function group(key: string, { properties = {}, required = [] }: ConfigSchema): readonly string[] {
  const isOn = hasDefault({ properties });
  const settings = Object.entries(properties).flatMap(([name, property]) => {
    const described = required.includes(name) ? withRequired(property) : property;
    // As a whole, the group is commented out already.
    return isOn ? commentedYaml(name, described) : commentedYaml(name, described).map(uncommented);
  });
  return [`${key}:`, ...settings.map((line) => `  ${line}`)];
}

function leaf(key: string, schema: ConfigSchema): readonly string[] {
  return stringify({ [key]: exampleOf(schema) }, { lineWidth: 0, singleQuote: true })
    .trimEnd()
    .split('\n');
}

function withRequired(schema: ConfigSchema): ConfigSchema {
  return { ...schema, description: `${schema.description ?? ''} Required.`.trim() };
}

/** Whether the setting stands in the file as it is. Of a group: whether any of its settings does. */
function hasDefault({ default: value, properties }: ConfigSchema): boolean {
  if (properties !== undefined) return Object.values(properties).some(hasDefault);
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

function explanation({ description = '', enum: choices }: ConfigSchema): readonly string[] {
  const values = choices === undefined ? '' : ` One of ${choices.map(String).join(', ')}.`;
  return [`${description}${values}`.trim()].filter((text) => text !== '');
}

/** The keys of what a list or a map contains. */
function itemKeys(schema: ConfigSchema): readonly string[] {
  if (isGroup(schema)) return [];
  return keysBelow(schema, '').flatMap(([path, text]) => comment(`  ${path}: ${text}`));
}

type KeyText = readonly [path: string, text: string];

function keysBelow(schema: ConfigSchema, prefix: string): readonly KeyText[] {
  const { items, additionalProperties, oneOf = [], properties = {}, required = [] } = schema;
  if (items !== undefined) return keysBelow(items, prefix);
  if (typeof additionalProperties === 'object') return keysBelow(additionalProperties, `${prefix}NAME.`);
  const own = Object.entries(properties).flatMap(([name, property]) => {
    const path = `${prefix}${name}`;
    const described = required.includes(name) ? withRequired(property) : property;
    return [[path, explanation(described).join('')] as const, ...keysBelow(property, `${path}.`)];
  });
  return [...own, ...merged(oneOf.flatMap((form) => keysBelow(form, prefix)))];
}

/** A key of several forms is explained once. */
function merged(keys: readonly KeyText[]): readonly KeyText[] {
  const byPath = Map.groupBy(keys, ([path]) => path);
  return [...byPath].map(([path, texts]) => [path, texts.map(([, text]) => text).join(' Or: ')]);
}

function exampleOf(schema: ConfigSchema): unknown {
  const { examples, properties, items } = schema;
  if (hasDefault(schema) && properties === undefined) return schema.default;
  if (examples !== undefined) return examples[0];
  if (items !== undefined) return [exampleOf(items)];
  return properties === undefined ? statedDefault(schema) : mapValues(properties, exampleOf);
}

/** Where the program adds the default, the description states it. */
function statedDefault({ type, description = '' }: ConfigSchema): string | number {
  const stated = /\(default (?<value>[\w-]+)\)/.exec(description)?.groups?.['value'] ?? '';
  return type === 'integer' ? Number(stated) : stated;
}

function mapValues<A, B>(record: Readonly<Record<string, A>>, change: (value: A) => B): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

function commentedOut(line: string): string {
  return `# ${line}`;
}

function uncommented(line: string): string {
  return line.replace(/^# /, '');
}

/** Continued lines are indented as the first one, and two more below a key. */
function comment(text: string): readonly string[] {
  const indent = text.length - text.trimStart().length;
  const lines: string[] = [];
  let current = ' '.repeat(indent);
  for (const word of text.trim().split(' ')) {
    if (current.trim() !== '' && current.length + word.length >= width) {
      lines.push(current);
      current = ' '.repeat(indent === 0 ? 0 : indent + 2);
    }
    current += current.trim() === '' ? word : ` ${word}`;
  }
  return [...lines, current].map((line) => `## ${line}`);
}
