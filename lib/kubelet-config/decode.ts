import { readYaml } from '../config/read-yaml.ts';
import { lintError } from './finding.ts';
import type { Mistake } from './finding.ts';
import { CredentialProviderConfig } from './schema.ts';

export interface Decoded {
  /** Absent: the kubelet could not decode it, for the reasons in `mistakes`. */
  readonly config?: CredentialProviderConfig;
  readonly mistakes: readonly Mistake[];
  lineOf(path: readonly PropertyKey[]): number;
}

/** Go's YAML is version 1.1, where `yes` and `on` are booleans. It reads only the first document of a file. */
const goYaml = { version: '1.1', merge: true } as const;
const nextDocument = /^---(?:\s|$)/m;

export function decodeConfig(text: string): Decoded {
  if (looksLikeJson.test(text) && !isJson(text)) {
    return {
      mistakes: [lintError('not-yaml', [], 'it starts like JSON and is not valid JSON', 'correct the syntax')],
      lineOf: () => 1,
    };
  }
  const yaml = readYaml(firstDocument(text), goYaml);
  if (yaml.kind === 'unreadable') {
    const mistake = lintError('not-yaml', [], `it is not YAML (${yaml.reason})`, 'correct the syntax');
    return { mistakes: [mistake], lineOf: () => yaml.line };
  }
  const { lineOf } = yaml;
  const unknown = unknownKind(yaml.value);
  if (unknown !== undefined) return { mistakes: [unknown], lineOf };
  const parsed = CredentialProviderConfig.safeParse(yaml.value);
  if (!parsed.success) return { mistakes: parsed.error.issues.flatMap(mistakesOf), lineOf };
  return { config: parsed.data, mistakes: [], lineOf };
}

/** A text that starts with a brace is read as JSON only. */
const looksLikeJson = /^\s*\{/;

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function firstDocument(text: string): string {
  const start = /^(?:\s*(?:#.*)?\n)*---(?:[^\S\n].*)?\n/.exec(text)?.[0].length ?? 0;
  const end = nextDocument.exec(text.slice(start))?.index;
  return end === undefined ? text : text.slice(0, start + end);
}

const group = 'kubelet.config.k8s.io';
const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `${group}/${version}`);
const kind = 'CredentialProviderConfig';

function unknownKind(value: unknown): Mistake | undefined {
  const head: Readonly<Record<string, unknown>> = typeof value === 'object' && value !== null ? { ...value } : {};
  if (!versions.includes(String(head['apiVersion']))) {
    return lintError(
      'unknown-kind',
      ['apiVersion'],
      `apiVersion is not one of ${versions.join(', ')}`,
      `write apiVersion: ${group}/v1`,
    );
  }
  return head['kind'] === kind
    ? undefined
    : lintError('unknown-kind', ['kind'], `kind is not ${kind}`, `write kind: ${kind}`);
}

interface Issue {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly expected?: string;
}

function mistakesOf(issue: Issue): readonly Mistake[] {
  const { keys, path, expected } = issue;
  if (keys !== undefined) {
    return keys.map((key) =>
      lintError(
        'unknown-key',
        [...path, key],
        `there is no field ${key} here`,
        'correct its name and its indentation, or remove it',
      ),
    );
  }
  const remedy = expected === 'string' ? 'put the value in quotes' : 'correct the value';
  return [lintError('wrong-type', path, `the value must be ${asKind(expected)}`, remedy)];
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a string',
  array: 'a list',
  boolean: 'true or false',
  object: 'a map',
};

function asKind(expected: string | undefined): string {
  return kinds[expected ?? ''] ?? 'of another type';
}
