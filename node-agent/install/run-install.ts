import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { clouds } from '../../clouds/index.ts';
import { readCloudNames } from '../../lib/command-line/cloud-names.ts';
import type { FlagValues } from '../../lib/command-line/flag-values.ts';
import { switchFlag } from '../../lib/command-line/flag-values.ts';
import { wantsJson } from '../../lib/command-line/shared-options.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { Failure } from '../../lib/failure.ts';
import { realHost } from '../../lib/host.ts';
import { entriesFor } from '../../lib/kubelet-config/entries.ts';
import { asHostFailure, openHostRoot } from './host-root.ts';
import type { HostRoot } from './host-root.ts';
import { installOnHost, uninstallFromHost } from './change-host.ts';
import type { InstallResult, UninstallResult } from './install.ts';
import type { NamedEntry } from './merge-config.ts';
import type { InstallSources } from './plan-install.ts';
import { installText, uninstallText } from './report.ts';
import { prepareRestart } from './restart/restart-tools.ts';

/** Reads the flags of `install` or `uninstall`. What it returns does the work, and returns what to print. */
export function prepareInstall(command: string, options: FlagValues, env: NodeJS.ProcessEnv): () => Promise<string> {
  const root = options['--host-root'] ?? '';
  if (root === '') {
    throw new Failure('misconfigured', '--host-root is missing', {
      remedy: 'name the directory where / of the host is mounted, or / on the host itself',
    });
  }
  const names = options['--registries'];
  const registries = names === undefined ? undefined : readCloudNames('--registries', names, 'registry', clouds);
  const isDryRun = switchFlag(options, '--dry-run', false);
  const restarts = switchFlag(options, '--restart-kubelet', false) && !isDryRun;
  const openTools = restarts ? prepareRestart(options, env) : undefined;
  const work = async (): Promise<string> => {
    const host = openHostRoot(root);
    if (command === 'uninstall') {
      const result = await uninstallFromHost(host, openTools);
      return printed(options, result, () => uninstallText(result));
    }
    const mountInfo = readFileSync('/proc/self/mountinfo', 'utf8');
    const wanted = { entries: await entriesIn(options, registries, host), areNamed: registries !== undefined };
    const request = { host, mountInfo, sources: sourcesIn(options), wanted, isDryRun };
    const result = await installOnHost(request, openTools);
    return printed(options, result, () => installText(result, isDryRun));
  };
  return () =>
    work().catch((error: unknown) => {
      throw asHostFailure(error);
    });
}

function printed(options: FlagValues, result: InstallResult | UninstallResult, text: () => string): string {
  return wantsJson(options) ? `${JSON.stringify(result, undefined, 2)}\n` : text();
}

function sourcesIn(options: FlagValues): InstallSources {
  const directory = options['--source'] ?? dirname(process.execPath);
  const program = join(directory, 'polycloud-credential-provider');
  const sources = { program, frontEnd: `${program}-front` };
  const missing = Object.values(sources).find((file) => !existsSync(file));
  const withBroker = switchFlag(options, '--host-broker', false);
  if (missing === undefined) return { ...sources, ...(withBroker && { agent: process.execPath }) };
  throw new Failure('misconfigured', `${missing} does not exist`, {
    remedy: 'name the directory of the credential provider and its front end with --source',
  });
}

async function entriesIn(
  options: FlagValues,
  registries: readonly string[] | undefined,
  host: HostRoot,
): Promise<readonly NamedEntry[]> {
  const configFile = options['--config'] ?? '/etc/polycloud/config.yaml';
  const isThere = host.kindOf(configFile) !== 'absent';
  const config = await loadConfig(isThere ? host.resolve(configFile) : undefined, realHost, clouds);
  const { entries } = await entriesFor({
    clouds: clouds.filter(({ name }) => registries === undefined || registries.includes(name)),
    runtime: { env: {}, host: realHost },
    config,
    // The kubelet starts the program on the host, where a file at the default path needs no argument.
    configFile: options['--config'],
    withPods: switchFlag(options, '--pods', false),
    annotations: [],
  });
  return entries;
}
