import * as z from 'zod/mini';
import { Failure } from '../failure.ts';
import { nearestName } from '../near-miss.ts';
import { pathText } from './read-yaml.ts';
import type { YamlFile, YamlPath } from './read-yaml.ts';

/** A mistake in a file that operators write. It quotes no value of the file, which may be a misplaced secret. */
export interface FileMistake {
  /** Stays the same from version to version. */
  readonly code: 'not-yaml' | 'unknown-key' | 'missing-key' | 'wrong-type' | 'wrong-value';
  readonly line: number;
  /** As `registries[0].match`; absent: the file as a whole. */
  readonly key?: string;
  readonly what: string;
  readonly remedy: string;
}

export type CheckedFile<T> =
  | { readonly kind: 'valid'; readonly value: T }
  | { readonly kind: 'invalid'; readonly mistakes: readonly [FileMistake, ...FileMistake[]] };

/** Checks a file against its schema, and lists all mistakes with their lines. */
export function checkFile<T>(yaml: YamlFile, schema: z.ZodMiniType<T>, empty: unknown): CheckedFile<T> {
  if (yaml.kind === 'unreadable') {
    const mistake = { code: 'not-yaml', line: yaml.line, what: `is not YAML (${yaml.reason})`, remedy: 'correct it' };
    return { kind: 'invalid', mistakes: [mistake as FileMistake] };
  }
  const parsed = schema.safeParse(yaml.value ?? empty);
  if (parsed.success) return { kind: 'valid', value: parsed.data };
  const [first, ...others] = mistakesOf(
    parsed.error.issues,
    yaml,
    z.toJSONSchema(schema, { io: 'input' }) as KeySchema,
  );
  if (first === undefined) throw new Error('a value that is refused has a mistake');
  return { kind: 'invalid', mistakes: [first, ...others] };
}

/** The failure of the first mistake. Its details are the others. */
export function fileFailure(subject: string, [first, ...others]: readonly [FileMistake, ...FileMistake[]]): Failure {
  const more =
    others.length === 0
      ? ''
      : `; and there ${others.length === 1 ? 'is 1 more mistake' : `are ${others.length} more mistakes`}`;
  return new Failure('misconfigured', `${subject}, line ${first.line}: ${first.what}`, {
    remedy: `${first.remedy}${more}`,
    details: others.map(({ line, what, remedy }) => `line ${line}: ${what}; hint: ${remedy}`),
  });
}

interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly path: YamlPath;
  readonly keys?: readonly string[];
  readonly expected?: string;
  readonly values?: readonly unknown[];
  /** The problem of a key in a map with free keys. */
  readonly issues?: readonly { readonly message: string }[];
}

function mistakesOf(
  issues: readonly Issue[],
  yaml: YamlFile & { readonly kind: 'read' },
  root: KeySchema,
): readonly FileMistake[] {
  const all = issues.flatMap((issue) => {
    const { keys, path } = issue;
    if (keys !== undefined) return keys.map((key) => ({ path: [...path, key], ...unknownKey(key, path, yaml, root) }));
    return [{ path, ...wrongValue(issue, yaml, root) }];
  });
  // What a rule about several keys requires can be a consequence of a mistake in one of them.
  const causes = all.filter(
    (mistake) => mistake.code !== 'wrong-value' || !all.some((other) => isBelow(other.path, mistake.path)),
  );
  return causes.map(({ path: _path, ...mistake }) => mistake).toSorted((one, other) => one.line - other.line);
}

function isBelow(path: YamlPath, parent: YamlPath): boolean {
  return path.length > parent.length && parent.every((part, index) => part === path[index]);
}

function unknownKey(
  key: string,
  parent: YamlPath,
  { lineOf }: YamlFile & { readonly kind: 'read' },
  root: KeySchema,
): FileMistake {
  const known = Object.keys(schemaAt(root, parent)?.properties ?? {});
  const path = [...parent, key];
  const guess = nearestName(key, known);
  const remedy = guess === undefined ? knownKeysHint(known) : `did you mean ${guess}?`;
  return {
    code: 'unknown-key',
    line: lineOf(path),
    ...keyOf(path),
    what: `${pathText(path)} is not a known key`,
    remedy,
  };
}

function knownKeysHint(known: readonly string[]): string {
  return known.length === 0 ? 'remove it' : `remove it; the known keys here are ${known.join(', ')}`;
}

function wrongValue(issue: Issue, yaml: YamlFile & { readonly kind: 'read' }, root: KeySchema): FileMistake {
  const { path } = issue;
  const ofType = issue.code === 'invalid_type' ? 'wrong-type' : 'wrong-value';
  const isMissing = ofType === 'wrong-type' && path.length > 0 && valueAt(yaml.value, path) === undefined;
  const meaning = schemaAt(root, path)?.description?.replace(/\.$/, '');
  return {
    code: isMissing ? 'missing-key' : ofType,
    line: yaml.lineOf(path),
    ...keyOf(path),
    what: `${pathText(path)} ${isMissing ? 'is missing' : issueText(issue)}`,
    remedy: `${isMissing ? 'add' : 'correct'} it${meaning === undefined ? '' : `; it means: ${meaning}`}`,
  };
}

function keyOf(path: YamlPath): Pick<FileMistake, 'key'> {
  return path.length === 0 ? {} : { key: pathText(path) };
}

export function issueText({ keys, code, expected, values, message, issues }: Issue): string {
  if (keys !== undefined) return 'is not a known key';
  if (code === 'invalid_type') return `must be ${typeText(expected)}`;
  if (values !== undefined) return `must be ${values.length === 1 ? '' : 'one of '}${values.join(', ')}`;
  // The message about a key is more specific than the message about its map.
  return issues?.[0]?.message ?? message;
}

function typeText(expected = 'something else'): string {
  return expected === 'array' ? 'a list' : `of type ${expected}`;
}

function valueAt(value: unknown, path: YamlPath): unknown {
  return path.reduce<unknown>((parent, part) => {
    const isOwn = typeof parent === 'object' && parent !== null && Object.hasOwn(parent, part);
    return isOwn ? (parent as Readonly<Record<PropertyKey, unknown>>)[part] : undefined;
  }, value);
}

/** The part of JSON Schema that says what a key means. */
interface KeySchema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, KeySchema>>;
  readonly items?: KeySchema;
  /** One of these forms. */
  readonly oneOf?: readonly KeySchema[];
}

function schemaAt(root: KeySchema, path: YamlPath): KeySchema | undefined {
  return path.reduce<KeySchema | undefined>((schema, part) => {
    if (schema === undefined || typeof part === 'number') return schema?.items;
    const forms = [schema, ...(schema.oneOf ?? [])];
    return forms.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, part) ? [properties[String(part)]] : [],
    )[0];
  }, root);
}
