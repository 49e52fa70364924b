import { LineCounter, isMap, isScalar, parseDocument } from 'yaml';
import type { Document, Node, Pair } from 'yaml';
import { Failure } from '../failure.ts';
import { Config } from '../../schemas/config.ts';

/** YAML to configuration, or one line that says where the first mistake is. */
export function parseConfigFile(text: string, file: string): Config {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, logLevel: 'error' });
  const mistake = document.errors[0];
  if (mistake !== undefined) {
    const { line } = lines.linePos(mistake.pos[0]);
    throw wrong(file, line, `is not YAML (${mistake.code.toLowerCase().replaceAll('_', ' ')})`);
  }
  const parsed = Config.safeParse(toPlain(document, file) ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = [...(issue?.path ?? []), ...unknownKey(issue)];
  throw wrong(file, lineOf(document, path, lines), `${pathText(path)} ${says(issue)}`);
}

/** Aliases are resolved only now; one that leads nowhere, or too many of them, throws. */
function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS();
  } catch {
    throw wrong(file, 1, 'is not YAML (an alias cannot be resolved)');
  }
}

interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly expected?: string;
}

function unknownKey(issue: Issue | undefined): readonly PropertyKey[] {
  return issue?.keys?.slice(0, 1) ?? [];
}

function says(issue: Issue | undefined): string {
  if (issue?.keys !== undefined) return 'is no key we know';
  if (issue?.code === 'invalid_type') {
    return `must be ${issue.expected === 'array' ? 'a list' : `of type ${issue.expected}`}`;
  }
  return issue?.message ?? 'is wrong';
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return 'the file';
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}

/** The line of the innermost part that is really there. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  const node = keyOf(document, path) ?? document.getIn(path, true);
  if (hasRange(node)) return lines.linePos(node.range[0]).line;
  return path.length === 0 ? 1 : lineOf(document, path.slice(0, -1), lines);
}

/** A value may begin lines below its key. */
function keyOf(document: Document, path: readonly PropertyKey[]): Node | undefined {
  const parent = path.length === 0 ? undefined : document.getIn(path.slice(0, -1), true);
  const map = path.length === 1 ? document.contents : parent;
  if (!isMap(map)) return undefined;
  const pair = map.items.find(({ key }: Pair) => isScalar(key) && key.value === path.at(-1));
  return pair?.key as Node | undefined;
}

function hasRange(node: unknown): node is { readonly range: readonly [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

function wrong(file: string, line: number, what: string): Failure {
  return new Failure('misconfigured', `configuration file ${file}, line ${line}: ${what}`, {
    remedy: 'see docs/reference/configuration.md',
  });
}
