import { resolve } from 'node:path';
import { readCloudNames } from '../lib/command-line/cloud-names.ts';
import { wrongUsageExitCode } from '../lib/command-line/command-line.ts';
import type { ParsedCommand } from '../lib/command-line/command-line.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';
import { terminalPaint } from '../lib/command-line/paint.ts';
import { wantsJson } from '../lib/command-line/shared-options.ts';
import { Failure } from '../lib/failure.ts';
import { failureText } from '../lib/failure-text.ts';
import { trustVariables } from '../lib/http/trust.ts';
import { readTokenFile } from '../lib/token-file.ts';
import { defaultConfig } from '../schemas/config/defaults.ts';
import type { Output } from './run.ts';
import type { ProviderRuntime } from './runtime.ts';

export interface CommandRequest {
  readonly command: ParsedCommand;
  readonly options: FlagValues;
}

/** The commands for people; a kubelet uses none of them. */
export async function runCommand(request: CommandRequest, runtime: ProviderRuntime): Promise<Output> {
  const { name } = request.command;
  const command = commands[name];
  if (command === undefined) throw new Error(`there is no command ${name}`);
  let exitCode: Output['exitCode'] = wrongUsageExitCode;
  try {
    const work = command(request, runtime);
    exitCode = 1;
    return await work();
  } catch (error) {
    return { stdout: '', stderr: `polycloud-credential-provider ${name}: ${failureText(error)}\n`, exitCode };
  }
}

/** Reads the flags, and returns the work. What it throws itself is wrong usage. */
type Command = (request: CommandRequest, runtime: ProviderRuntime) => () => Promise<Output>;

const commands: Readonly<Record<string, Command>> = {
  doctor: prepareDoctor,
  'config lint': prepareLint,
  'config print': preparePrint,
  copy: prepareCopy,
};

function prepareDoctor({ command, options }: CommandRequest, runtime: ProviderRuntime): () => Promise<Output> {
  const annotations = pairs(options['--annotations'] ?? '');
  return async () => {
    const [{ diagnose }, { findKubelet }, { reportText }] = await Promise.all([
      import('./doctor/diagnose.ts'),
      import('./doctor/kubelet.ts'),
      import('./doctor/report.ts'),
    ]);
    const kubelet = findKubelet('/proc');
    // Nothing was sent yet, so the trusted authorities can still be those of the kubelet's environment.
    if (kubelet !== undefined) Object.assign(process.env, trustVariables(kubelet.env));
    const tokenFile = options['--token-file'];
    const request = {
      image: command.operands[0] ?? '',
      kubelet,
      configFile: options['--config'],
      ...(tokenFile !== undefined && {
        token: await readTokenFile(tokenFile, runtime.host, 'name a file that contains one'),
      }),
      annotations,
    };
    const report = await diagnose(request, runtime);
    const asJson = wantsJson(options);
    const stdout = asJson ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report, terminalPaint());
    return { stdout, stderr: '', exitCode: report.ok ? 0 : 1 };
  };
}

function pairs(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    listed(text).map((pair) => {
      const [key = '', ...value] = pair.split('=');
      if (key.trim() !== '' && value.length > 0) return [key.trim(), value.join('=')];
      throw new Failure('misconfigured', 'the value of --annotations cannot be read', {
        remedy: 'write KEY=VALUE[,KEY=VALUE]',
      });
    }),
  );
}

function listed(text: string): readonly string[] {
  return text.split(',').filter((part) => part.trim() !== '');
}

function prepareLint({ command, options }: CommandRequest, runtime: ProviderRuntime): () => Promise<Output> {
  return async () => {
    const { lintPath } = await import('./lint/lint-path.ts');
    const { isUsable, lintJson, lintText } = await import('./lint/report.ts');
    const { loadHints } = await import('../lib/kubelet-config/entries.ts');
    const { clouds, env, host } = runtime;
    const hints = await loadHints(clouds, { env, host }, defaultConfig);
    const deps = { clouds, env, host, hints, binDirectory: options['--bin-dir'] };
    const linted = await Promise.all(command.operands.map((path) => lintPath(path, deps)));
    const stdout = wantsJson(options) ? lintJson(linted) : lintText(linted, terminalPaint());
    return { stdout, stderr: '', exitCode: linted.every(isUsable) ? 0 : 1 };
  };
}

function preparePrint({ options }: CommandRequest, runtime: ProviderRuntime): () => Promise<Output> {
  const { env, host } = runtime;
  const clouds = selectClouds(options['--cloud'], runtime.clouds);
  const annotations = listed(options['--annotations'] ?? '').map((key) => key.trim());
  const withRbac = options['--rbac'] === 'true';
  const withPods = options['--pods'] === 'true' || withRbac || annotations.length > 0;
  const configFile = options['--config'];
  return async () => {
    const { entriesFor } = await import('../lib/kubelet-config/entries.ts');
    const { printConfig, printRbac } = await import('../lib/kubelet-config/print.ts');
    const { loadConfig } = await import('../lib/config/load-config.ts');
    const config = await loadConfig(configFile, host, runtime.clouds);
    const { entries, withoutAudience } = await entriesFor({
      clouds,
      runtime: { env, host },
      config,
      // The kubelet starts us in another directory.
      configFile: configFile === undefined ? undefined : resolve(configFile),
      withPods,
      annotations,
    });
    const format = wantsJson(options) ? 'json' : 'yaml';
    const stdout = withRbac ? printRbac(entries, format) : printConfig(entries, format);
    const warnings = withoutAudience.map(
      ({ cloud, remedy }) => `${cloud}: no entry for pods, because the audience is not known; hint: ${remedy}\n`,
    );
    if (stdout === undefined) warnings.push('there is no entry for pods, so kubelets need no permission\n');
    return { stdout: stdout ?? '', stderr: warnings.join(''), exitCode: 0 };
  };
}

function prepareCopy({ command }: CommandRequest): () => Promise<Output> {
  return async () => {
    const { copyPrograms } = await import('./copy-programs.ts');
    const copies = await copyPrograms(process.execPath, command.operands[0] ?? '');
    return { stdout: copies.map((path) => `wrote ${path}\n`).join(''), stderr: '', exitCode: 0 };
  };
}

function selectClouds(text: string | undefined, clouds: ProviderRuntime['clouds']): ProviderRuntime['clouds'] {
  if (text === undefined) return clouds;
  const names = readCloudNames('--cloud', text, 'registry', clouds);
  return clouds.filter(({ name }) => names.includes(name));
}
