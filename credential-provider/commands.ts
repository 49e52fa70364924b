import type { GivenCommand } from '../lib/command-line.ts';
import { Failure } from '../lib/failure.ts';
import { failureText } from '../lib/failure-text.ts';
import type { FlagTexts } from '../lib/flag-values.ts';
import { trustVariables } from '../lib/http/trust.ts';
import type { Output } from './run.ts';
import type { World } from './world.ts';

export interface Order {
  readonly command: GivenCommand;
  readonly options: FlagTexts;
}

/** What a person asks for; a kubelet never does. */
export async function runCommand(order: Order, world: World): Promise<Output> {
  const { name } = order.command;
  try {
    const command = commands[name];
    if (command === undefined) throw new Error(`${name} is not there`);
    return await command(order, world);
  } catch (error) {
    return { stdout: '', stderr: `polycloud-credential-provider ${name}: ${failureText(error)}\n`, exitCode: 1 };
  }
}

type Command = (order: Order, world: World) => Promise<Output>;

const commands: Readonly<Record<string, Command>> = {
  doctor: runDoctor,
  'config lint': runLint,
  'config print': runPrint,
};

async function runDoctor({ command, options }: Order, world: World): Promise<Output> {
  const [{ examine }, { findKubelet }, { reportText }] = await Promise.all([
    import('./doctor/examine.ts'),
    import('./doctor/kubelet.ts'),
    import('./doctor/report.ts'),
  ]);
  const kubelet = findKubelet('/proc');
  // Nothing was sent yet, so it is not too late to trust whom the kubelet's environment says.
  if (kubelet !== undefined) Object.assign(process.env, trustVariables(kubelet.env));
  const tokenFile = options['--token-file'];
  const patient = {
    image: command.operands[0] ?? '',
    kubelet,
    configFile: options['--config'],
    ...(tokenFile !== undefined && { token: await tokenIn(tokenFile, world) }),
    annotations: pairs(options['--annotations'] ?? ''),
  };
  const report = await examine(patient, world);
  const stdout = options['--json'] === 'true' ? `${JSON.stringify(report, undefined, 2)}\n` : reportText(report);
  return { stdout, stderr: '', exitCode: report.ok ? 0 : 1 };
}

async function tokenIn(file: string, { host }: World): Promise<string> {
  const token = (await host.readText(file))?.trim();
  if (token) return token;
  throw new Failure('misconfigured', `there is no token in ${file}`, { remedy: 'name a file that holds one' });
}

function pairs(text: string): Readonly<Record<string, string>> {
  const written = text.split(',').filter((pair) => pair.trim() !== '');
  return Object.fromEntries(
    written.map((pair) => {
      const [key = '', ...value] = pair.split('=');
      if (key.trim() !== '' && value.length > 0) return [key.trim(), value.join('=')];
      throw new Failure('misconfigured', 'the value of --annotations is no list', {
        remedy: 'write KEY=VALUE[,KEY=VALUE]',
      });
    }),
  );
}

async function runLint({ command, options }: Order): Promise<Output> {
  const { lintConfig } = await import('./kubelet-config/lint.ts');
  const { findingText } = await import('./kubelet-config/finding.ts');
  const binDirectory = options['--bin-dir'];
  const findings = command.operands.flatMap((path) =>
    lintConfig(path, { ...(binDirectory !== undefined && { binDirectory }) }),
  );
  const failed = findings.some(({ severity }) => severity === 'error');
  const verdict = failed ? 'a kubelet does not start with this' : 'a kubelet starts with this';
  return { stdout: `${[...findings.map(findingText), verdict].join('\n')}\n`, stderr: '', exitCode: failed ? 1 : 0 };
}

async function runPrint({ options }: Order, { clouds, env, host }: World): Promise<Output> {
  const { entriesFor } = await import('./kubelet-config/entries.ts');
  const { printConfig, printRbac } = await import('./kubelet-config/print.ts');
  const { loadConfig } = await import('../lib/config/load-config.ts');
  const configFile = options['--config'];
  const withPods = options['--pods'] === 'true' || options['--rbac'] === 'true';
  const chosen = chosenClouds(options['--cloud'], clouds);
  const config = await loadConfig(configFile, host);
  const { entries, withoutAudience } = await entriesFor({
    clouds: chosen,
    world: { env, host },
    config,
    configFile,
    withPods,
  });
  const stdout = options['--rbac'] === 'true' ? printRbac(entries) : printConfig(entries);
  const left = withoutAudience.map(
    (name) =>
      `${name}: left out for pods, since its audience is not known; ${audienceRemedies[name] ?? 'configure it'}\n`,
  );
  if (stdout === undefined) left.push('there is no entry for pods, so kubelets need not be allowed anything\n');
  return { stdout: stdout ?? '', stderr: left.join(''), exitCode: 0 };
}

const audienceRemedies: Readonly<Record<string, string>> = {
  gcp: 'set gcp.workloadIdentityProvider in the configuration',
};

function chosenClouds(text: string | undefined, clouds: World['clouds']): World['clouds'] {
  if (text === undefined) return clouds;
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !clouds.some((cloud) => cloud.name === name));
  if (unknown === undefined) return clouds.filter(({ name }) => names.includes(name));
  const known = clouds.map(({ name }) => name).join(', ');
  throw new Failure('misconfigured', 'the value of --cloud names a cloud that there is not', {
    remedy: `choose of ${known}`,
  });
}
