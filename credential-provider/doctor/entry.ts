import { basename } from 'node:path';
import type { Environment } from '../../lib/environment.ts';
import { readConfigFiles } from '../kubelet-config/config-files.ts';
import { decodeConfig } from '../kubelet-config/decode.ts';
import { lintConfig } from '../kubelet-config/lint.ts';
import type { Provider } from '../kubelet-config/schema.ts';
import { matchesImage } from './globs.ts';
import type { Kubelet } from './kubelet.ts';
import type { Check } from './report.ts';

/** What the kubelet's own file makes of the image. */
export interface Asked {
  readonly check: Omit<Check, 'tookMs'>;
  /** With what environment, and by which arguments, the kubelet would call us; absent: it would not. */
  readonly call?: { readonly env: Environment; readonly args: readonly string[] };
}

const about = 'kubelet';
const wanted = 'polycloud-credential-provider';

export function askKubelet(kubelet: Kubelet, image: string, asPod: boolean): Asked {
  const { configPath, binDirectory } = kubelet;
  if (configPath === undefined) {
    return failed(
      'it runs without --image-credential-provider-config',
      'give it that flag, and the one for the bin directory',
    );
  }
  const [mistake] = lintConfig(configPath, { ...(binDirectory !== undefined && { binDirectory }) }).filter(
    ({ severity }) => severity === 'error',
  );
  if (mistake !== undefined) {
    return failed(
      `${mistake.file}${mistake.line === undefined ? '' : `, line ${mistake.line}`}: ${mistake.what}`,
      mistake.remedy,
    );
  }
  const matching = providersIn(configPath).filter(({ matchImages }) =>
    (matchImages ?? []).some((pattern) => matchesImage(pattern ?? '', image)),
  );
  const fitting = matching.filter(({ tokenAttributes }) => Boolean(tokenAttributes) === asPod);
  const ours = fitting.find(({ name }) => basename(name ?? '').startsWith(wanted)) ?? fitting[0] ?? matching[0];
  return ours === undefined ? unmatched(configPath) : called(ours, kubelet, configPath);
}

function failed(said: string, remedy: string): Asked {
  return { check: { about, outcome: 'failed', said, remedy } };
}

function unmatched(configPath: string): Asked {
  const remedy = `add the host to matchImages of an entry; ${wanted} config print writes a right file`;
  return failed(`no entry of ${configPath} matches this image, so nobody is asked for a login`, remedy);
}

function called({ name, env, args, tokenAttributes }: Provider, kubelet: Kubelet, configPath: string): Asked {
  const own = Object.fromEntries((env ?? []).map((pair) => [pair?.name ?? '', pair?.value ?? '']));
  const said = `process ${kubelet.pid} calls ${name ?? ''} by ${configPath}`;
  return {
    check: { about, outcome: 'ok', said: tokenAttributes ? `${said}, with the pod's token` : said },
    call: {
      env: { ...kubelet.env, ...own },
      args: (args ?? []).map((arg) => arg ?? ''),
    },
  };
}

function providersIn(path: string): readonly Provider[] {
  const read = readConfigFiles(path);
  if (read.kind === 'unreadable') return [];
  return read.files.flatMap(({ text }) => decodeConfig(text).config?.providers ?? []).map((provider) => provider ?? {});
}
