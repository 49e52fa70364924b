import { Failure } from '../failure.ts';
import { Config } from '../../schemas/config.ts';
import { pathText, readYaml } from './read-yaml.ts';
import type { YamlPath } from './read-yaml.ts';

/** Parses the configuration file. Throws a `Failure` with the line of the first mistake. */
export function parseConfigFile(text: string, file: string): Config {
  const yaml = readYaml(text, {});
  if (yaml.kind === 'unreadable') throw invalidConfig(file, yaml.line, `is not YAML (${yaml.reason})`);
  const parsed = Config.safeParse(yaml.value ?? {});
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = [...(issue?.path ?? []), ...unknownKey(issue)];
  throw invalidConfig(file, yaml.lineOf(path), `${pathText(path)} ${issueText(issue)}`);
}

/** What is wrong with a configuration, in the words of the errors of a file. */
export function mistakesIn(config: unknown): readonly { readonly path: YamlPath; readonly text: string }[] {
  const { error } = Config.safeParse(config);
  return (error?.issues ?? []).map((issue) => ({
    path: issue.path,
    text: `${pathText(issue.path)} ${issueText(issue)}`,
  }));
}

interface Issue {
  readonly code?: string;
  readonly message: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
  readonly expected?: string;
  /** The problem of a key in a map with free keys. */
  readonly issues?: readonly { readonly message: string }[];
}

function unknownKey(issue: Issue | undefined): readonly PropertyKey[] {
  return issue?.keys?.slice(0, 1) ?? [];
}

function issueText(issue: Issue | undefined): string {
  if (issue?.keys !== undefined) return 'is not a known key';
  if (issue?.code === 'invalid_type') return `must be ${typeText(issue.expected)}`;
  return messageOf(issue) ?? 'is invalid';
}

function typeText(expected = 'something else'): string {
  return expected === 'array' ? 'a list' : `of type ${expected}`;
}

/** The message about a key is more specific than the message about its map. */
function messageOf(issue: Issue | undefined): string | undefined {
  return issue?.issues?.[0]?.message ?? issue?.message;
}

function invalidConfig(file: string, line: number, what: string): Failure {
  return new Failure('misconfigured', `configuration file ${file}, line ${line}: ${what}`, {
    remedy: 'see docs/reference/configuration.md',
  });
}
