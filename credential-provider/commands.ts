import { readTokenFile } from '../lib/token-file.ts';
import { readCloudNames } from '../lib/command-line/cloud-names.ts';
import type { ParsedCommand } from '../lib/command-line/command-line.ts';
import { Failure } from '../lib/failure.ts';
import { failureText } from '../lib/failure-text.ts';
import type { FlagValues } from '../lib/command-line/flag-values.ts';
import { wantsJson } from '../lib/command-line/shared-options.ts';
import { defaultConfig } from '../schemas/config/defaults.ts';
import { trustVariables } from '../lib/http/trust.ts';
import type { Output } from './run.ts';
import type { ProviderRuntime } from './runtime.ts';

export interface CommandRequest {
  readonly command: ParsedCommand;
  readonly options: FlagValues;
}

/** The commands for people; a kubelet uses none of them. */
export async function runCommand(request: CommandRequest, runtime: ProviderRuntime): Promise<Output> {
  const { name } = request.command;
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`there is no command ${name}`);
    return await command(request, runtime);
  } catch (error) {
    return { stdout: '', stderr: `polycloud-credential-provider ${name}: ${failureText(error)}\n`, exitCode: 1 };
  }
}

type Command = (request: CommandRequest, runtime: ProviderRuntime) => Promise<Output>;

const commands: Readonly<Record<string, Command>> = {
  doctor: runDoctor,
  'config lint': runLint,
  'config print': runPrint,
};

async function runDoctor({ command, options }: CommandRequest, runtime: ProviderRuntime): Promise<Output> {
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
    annotations: pairs(options['--annotations'] ?? ''),
  };
  const report = await diagnose(request, runtime);
  const stdout = wantsJson(options) ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report);
  return { stdout, stderr: '', exitCode: report.ok ? 0 : 1 };
}

function pairs(text: string): Readonly<Record<string, string>> {
  const written = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    written.map((pair) => {
      const [key = '', ...value] = pair.split('=');
      if (key.trim() !== '' && value.length > 0) return [key.trim(), value.join('=')];
      throw new Failure('misconfigured', 'the value of --annotations cannot be read', {
        remedy: 'write KEY=VALUE[,KEY=VALUE]',
      });
    }),
  );
}

async function runLint({ command, options }: CommandRequest, { clouds, env, host }: ProviderRuntime): Promise<Output> {
  const { lintConfig } = await import('./kubelet-config/lint.ts');
  const { findingText } = await import('./kubelet-config/finding.ts');
  const { loadHints } = await import('./kubelet-config/entries.ts');
  const binDirectory = options['--bin-dir'];
  const hints = await loadHints(clouds, { env, host }, defaultConfig);
  const findings = command.operands.flatMap((path) =>
    lintConfig(path, { hints, ...(binDirectory !== undefined && { binDirectory }) }),
  );
  const failed = findings.some(({ severity }) => severity === 'error');
  const verdict = failed ? 'a kubelet does not start with this' : 'a kubelet starts with this';
  return { stdout: `${[...findings.map(findingText), verdict].join('\n')}\n`, stderr: '', exitCode: failed ? 1 : 0 };
}

async function runPrint({ options }: CommandRequest, { clouds, env, host }: ProviderRuntime): Promise<Output> {
  const { entriesFor } = await import('./kubelet-config/entries.ts');
  const { printConfig, printRbac } = await import('./kubelet-config/print.ts');
  const { loadConfig } = await import('../lib/config/load-config.ts');
  const configFile = options['--config'];
  const withPods = options['--pods'] === 'true' || options['--rbac'] === 'true';
  const selected = selectClouds(options['--cloud'], clouds);
  const config = await loadConfig(configFile, host, clouds);
  const { entries, withoutAudience } = await entriesFor({
    clouds: selected,
    runtime: { env, host },
    config,
    configFile,
    withPods,
  });
  const stdout = options['--rbac'] === 'true' ? printRbac(entries) : printConfig(entries);
  const warnings = withoutAudience.map(
    ({ cloud, remedy }) => `${cloud}: no entry for pods, because the audience is not known; hint: ${remedy}\n`,
  );
  if (stdout === undefined) warnings.push('there is no entry for pods, so kubelets need no permission\n');
  return { stdout: stdout ?? '', stderr: warnings.join(''), exitCode: 0 };
}

function selectClouds(text: string | undefined, clouds: ProviderRuntime['clouds']): ProviderRuntime['clouds'] {
  if (text === undefined) return clouds;
  const names = readCloudNames('--cloud', text, 'registry', clouds);
  return clouds.filter(({ name }) => names.includes(name));
}
