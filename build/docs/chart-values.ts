import { isMap, isScalar, parseDocument } from 'yaml';
import type { Node, Pair, YAMLMap } from 'yaml';

interface ValueRow {
  readonly key: string;
  /** Absent for a group of values. */
  readonly preset?: string;
  readonly description: string;
}

/** The values of a chart, from the comments of its values.yaml: a list for each top-level key that has several. */
export function chartValues(text: string): string {
  const rows = rowsOf(parseDocument(text).contents, '');
  const byTopKey = [...Map.groupBy(rows, ({ key }) => key.split('.', 1)[0] ?? '')];
  const general = byTopKey.filter(([, { length }]) => length === 1).flatMap(([, group]) => group);
  const groups = byTopKey.filter(([, { length }]) => length > 1);
  return [['General', general] as const, ...groups.map(([key, group]) => [`\`${key}\``, group] as const)]
    .map(([title, group]) => `### ${title}\n\n${group.map(itemOf).join('\n')}`)
    .join('\n\n');
}

/** YAML gives the comment of the first key to the map around it. */
function rowsOf(node: Node | null, prefix: string, first = commentOf(node)): readonly ValueRow[] {
  if (!isMap(node)) return [];
  return (node as YAMLMap<Node, Node | null>).items.flatMap((pair, index) => {
    const description = commentOf(pair.key) || (index === 0 ? first : '');
    return rowsOfPair(pair, prefix, description);
  });
}

function rowsOfPair({ key, value }: Pair<Node, Node | null>, prefix: string, description: string): readonly ValueRow[] {
  const path = `${prefix}${isScalar(key) ? String(key.value) : ''}`;
  if (!isGroup(value)) return [{ key: path, preset: presetOf(value), description }];
  const group = description === '' ? [] : [{ key: path, description }];
  return [...group, ...rowsOf(value, `${path}.`)];
}

/** A map whose keys have comments. Others, such as an affinity, are one value. */
function isGroup(node: Node | null): node is YAMLMap<Node, Node | null> {
  if (!isMap(node)) return false;
  const { items } = node as YAMLMap<Node, Node | null>;
  return commentOf(node) !== '' || items.some(({ key, value }) => commentOf(key) !== '' || isGroup(value));
}

function commentOf(node: Node | null): string {
  return (node?.commentBefore ?? '').replaceAll(/\s*\n\s*/g, ' ').trim();
}

const maxPresetCharacters = 60;

function presetOf(value: Node | null): string {
  const json = JSON.stringify(value?.toJSON() ?? null);
  return json.length <= maxPresetCharacters ? `default \`${json}\`` : 'default in values.yaml';
}

function itemOf({ key, preset, description }: ValueRow): string {
  return `- \`${key}\`${preset === undefined ? '' : ` (${preset})`}: ${description}`;
}
