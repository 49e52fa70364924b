import { LineCounter, isMap, isScalar, parseDocument } from 'yaml';
import type { Document, DocumentOptions, Node, Pair, ParseOptions, SchemaOptions } from 'yaml';

export type YamlPath = readonly PropertyKey[];

export type YamlFile =
  | {
      readonly kind: 'read';
      readonly value: unknown;
      /** The line of the innermost part of the path that exists. A value may begin lines below its key. */
      lineOf(path: YamlPath): number;
    }
  | { readonly kind: 'unreadable'; readonly line: number; readonly reason: string };

export type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** YAML with the lines of its parts, so that messages can name a line. */
export function readYaml(text: string, options: YamlOptions): YamlFile {
  const lines = new LineCounter();
  const document = parseDocument(text, { ...options, lineCounter: lines, logLevel: 'error' });
  const mistake = document.errors[0];
  if (mistake !== undefined) {
    const { line } = lines.linePos(mistake.pos[0]);
    return { kind: 'unreadable', line, reason: mistake.code.toLowerCase().replaceAll('_', ' ') };
  }
  // Aliases are resolved only now. An unknown alias, or too many of them, throws.
  try {
    return { kind: 'read', value: document.toJS(), lineOf: (path) => lineOf(document, path, lines) };
  } catch {
    return { kind: 'unreadable', line: 1, reason: 'an alias cannot be resolved' };
  }
}

function lineOf(document: Document, path: YamlPath, lines: LineCounter): number {
  const node = keyOf(document, path) ?? document.getIn(path, true);
  if (hasRange(node)) return lines.linePos(node.range[0]).line;
  return path.length === 0 ? 1 : lineOf(document, path.slice(0, -1), lines);
}

function keyOf(document: Document, path: YamlPath): Node | undefined {
  const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const map = path.length === 1 ? document.contents : parent;
  if (!isMap(map)) return undefined;
  const pair = map.items.find(({ key }: Pair) => isScalar(key) && key.value === path.at(-1));
  return pair?.key as Node | undefined;
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** A key can be a map in YAML, with a secret in it: only keys that look like one are shown. */
export function pathText(path: YamlPath): string {
  if (path.length === 0) return 'the file';
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${plainKey.test(String(part)) ? String(part) : '"…"'}`))
    .join('')
    .replace(/^\./, '');
}

const plainKey = /^[\w.*/:@<-]{1,100}$/;
