import { parse } from 'yaml';
import type { PluginConfig } from '../../../lab/node/plugins.ts';
import { builtPlugin } from '../../../lab/node/plugins.ts';
import { runCommand } from '../../../lab/network/run-command.ts';

export interface PrintOptions {
  /** What `config print` is called with. */
  readonly args: readonly string[];
  /** Name of an entry → the hosts for which it is tried, in place of all; others are left out. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
}

/** The output of `config print`: the entries for a kubelet, and the manifests for the cluster. */
export interface PrintedConfig {
  readonly plugin: PluginConfig;
  readonly rbac: string;
}

export async function printedEntries({ args, hosts }: PrintOptions): Promise<PrintedConfig> {
  const { providers } = parse(await print(args)) as { readonly providers: readonly Entry[] };
  const wanted = providers.flatMap((entry) => {
    const matchImages = hosts[entry.name];
    return matchImages === undefined ? [] : [{ ...entry, matchImages }];
  });
  const names = wanted.map(({ name }) => name);
  const missing = Object.keys(hosts).filter((name) => !names.includes(name));
  if (missing.length > 0) throw new Error(`config print ${args.join(' ')} has no entry ${missing.join(', ')}`);
  const programs = Object.fromEntries(names.map((name) => [name, builtPlugin]));
  return { plugin: { providers: wanted, programs }, rbac: await print([...args, '--rbac']) };
}

interface Entry {
  readonly name: string;
  readonly [more: string]: unknown;
}

async function print(args: readonly string[]): Promise<string> {
  const options = { env: {}, input: '', timeoutMs: 20_000 };
  const { code, stdout, stderr } = await runCommand(builtPlugin, ['config', 'print', ...args], options);
  if (code !== 0) throw new Error(`config print ${args.join(' ')}: ${stderr}`);
  return stdout;
}
