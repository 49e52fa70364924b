import { join } from 'node:path';
import type { KubeletHints } from '../../schemas/kubelet-hints.ts';
import { pathText } from '../config/read-yaml.ts';
import { adviceFor } from './advice.ts';
import { readConfigFiles, whyNotExecutable } from './config-files.ts';
import type { ConfigFile } from './config-files.ts';
import { decodeConfig } from './decode.ts';
import { lintError } from './finding.ts';
import type { LintFinding, Mistake } from './finding.ts';
import { providerRules } from './rules.ts';
import type { CredentialProviderConfig, CredentialProvider } from './schema.ts';

export interface LintOptions {
  /** The kubelet's --image-credential-provider-bin-dir; absent: the executables are not checked. */
  readonly binDirectory?: string;
  /** What the clouds know about entries; absent: only general advice. */
  readonly hints?: readonly KubeletHints[];
}

/** The errors that the kubelet would have with this file or directory, and warnings that it would not print. */
export function lintConfig(path: string, { binDirectory, hints = [] }: LintOptions): readonly LintFinding[] {
  const read = readConfigFiles(path);
  if (read.kind === 'unreadable') {
    return [
      {
        severity: 'error',
        code: 'unreadable',
        file: read.file,
        what: read.what,
        remedy: 'check the path that the kubelet has to read',
      },
    ];
  }
  return lintFiles(path, read.files, { hints, ...(binDirectory !== undefined && { binDirectory }) });
}

/** The same for texts that are not on the disk yet. `path`: what the kubelet's flag would name. */
export function lintFiles(
  path: string,
  files: readonly ConfigFile[],
  { binDirectory, hints = [] }: LintOptions,
): readonly LintFinding[] {
  const decoded = files.map((file) => ({ file, ...decodeConfig(file.text) }));
  const providers = decoded.flatMap(({ config }) => config?.providers ?? []);
  if (decoded.every(({ config }) => config !== undefined) && providers.length === 0) {
    const remedy = 'add one below `providers`';
    return [{ severity: 'error', code: 'no-provider', file: path, what: 'it lists no provider', remedy }];
  }
  const seen = new Set<string>();
  return decoded.flatMap(({ file, config, mistakes, lineOf }) => {
    const all = config === undefined ? mistakes : mistakesIn(config, { seen, binDirectory, hints });
    return all.map((mistake) => findingOf(mistake, file, lineOf));
  });
}

function findingOf(
  { path, ...rest }: Mistake,
  file: ConfigFile,
  lineOf: (path: Mistake['path']) => number,
): LintFinding {
  return { ...rest, file: file.name, line: lineOf(path), ...(path.length > 0 && { key: pathText(path) }) };
}

interface LintState {
  /** The names of providers so far, in all files. */
  readonly seen: Set<string>;
  readonly binDirectory: string | undefined;
  readonly hints: readonly KubeletHints[];
}

function mistakesIn({ apiVersion, providers }: CredentialProviderConfig, state: LintState): readonly Mistake[] {
  return (providers ?? []).flatMap((entry, index) => {
    const provider = entry ?? {};
    const found = [
      ...providerRules(provider, apiVersion),
      ...repeatedName(provider, state),
      ...missingExecutable(provider, state),
      ...adviceFor(provider, state.hints),
    ];
    return found.map((mistake) => ({ ...mistake, path: ['providers', index, ...mistake.path] }));
  });
}

function repeatedName({ name }: CredentialProvider, { seen }: LintState): readonly Mistake[] {
  if (!name) return [];
  if (seen.has(name)) {
    return [
      lintError(
        'repeated-name',
        ['name'],
        `there are two providers with the name ${name}`,
        'link the executable under another name for one of them',
      ),
    ];
  }
  seen.add(name);
  return [];
}

function missingExecutable({ name }: CredentialProvider, { binDirectory }: LintState): readonly Mistake[] {
  if (!name || binDirectory === undefined) return [];
  const file = join(binDirectory, name);
  const why = whyNotExecutable(file);
  return why === undefined
    ? []
    : [lintError('missing-executable', ['name'], `${file} ${why}`, 'put the executable there under this name')];
}
