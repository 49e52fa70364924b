import { Config } from '../../schemas/config.ts';
import { pathText, readYaml } from './read-yaml.ts';
import type { YamlPath } from './read-yaml.ts';
import { checkFile, fileFailure, issueText } from './schema-mistakes.ts';
import type { CheckedFile } from './schema-mistakes.ts';

/** Parses the configuration file. Throws a `Failure` with the line of the first mistake; its details are the others. */
export function parseConfigFile(text: string, file: string): Config {
  const checked = checkConfigFile(text);
  if (checked.kind === 'valid') return checked.value;
  throw fileFailure(`configuration file ${file}`, checked.mistakes);
}

export function checkConfigFile(text: string): CheckedFile<Config> {
  return checkFile(readYaml(text, {}), Config, {});
}

/** What is wrong with a configuration, in the words of the errors of a file. */
export function mistakesIn(config: unknown): readonly { readonly path: YamlPath; readonly text: string }[] {
  const { error } = Config.safeParse(config);
  return (error?.issues ?? []).map((issue) => ({
    path: issue.path,
    text: `${pathText(issue.path)} ${issueText(issue)}`,
  }));
}
