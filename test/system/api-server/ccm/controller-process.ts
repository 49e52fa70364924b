import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { hostArchitecture } from '../../../../build/architecture.ts';
import { executablePath } from '../../../../build/executables/executable.ts';
import type { LifecycleSettings } from '../../../../ccm/lifecycle/settings.ts';
import { labUserKey } from '../../../lab/clouds/aws/state.ts';
import { freePort } from '../../../lab/control-plane/free-port.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { runCommand, withEnvironment } from '../../../lab/network/run-command.ts';
import type { RunResult } from '../../../lab/network/run-command.ts';
import { openPages } from './pages.ts';
import type { ReadPage } from './pages.ts';
import { controllerGroup } from './permissions.ts';
import type { TestEnvironment } from './environment.ts';
import { collectOutput } from '../../../support/collect-output.ts';

export interface ControllerProcessSettings {
  readonly deletion: Partial<LifecycleSettings>;
  readonly flags: readonly string[];
  /** Another API server's address, or the like. */
  readonly kubeconfig?: string;
  /** Instead of AWS. */
  readonly clouds?: readonly string[];
  /** The rest of the configuration. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Besides the usual variables. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The executable as it runs in a cluster, with a user, a configuration file and a port of its own. */
export interface ControllerProcess {
  /** Whom the audit log knows it as. */
  readonly user: string;
  readonly pid: number;
  /** All output so far. */
  output(): string;
  readonly page: ReadPage;
  readonly port: number;
  hasEnded(): boolean;
  signal(name: NodeJS.Signals): void;
  /** Once is enough, more does no harm. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Looks soon and often, so that the test does not have to wait. */
export const quickFlags = ['--node-monitor-period', '300ms', '--node-status-update-frequency', '1s'];

const executable = executablePath('polycloud-ccm', hostArchitecture());

let started = 0;

export async function startController(
  environment: TestEnvironment,
  settings: ControllerProcessSettings,
): Promise<ControllerProcess> {
  const user = `ccm-${String((started += 1))}`;
  const kubeconfig = settings.kubeconfig ?? (await environment.plane.kubeconfigFor(user, [controllerGroup]));
  const { args, env, removeFiles } = await prepare(environment, { ...settings, kubeconfig });
  const port = await freePort();
  const serving = ['--secure-port', String(port), '--bind-address', '127.0.0.1'];
  const child = spawn(...withEnvironment(env, executable, [...args, ...serving]), {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const running = {
    user,
    pid: child.pid ?? 0,
    output: collectOutput(child),
    page: openPages(environment, port),
    port,
    ...endsOf(child, ended),
  };
  environment.atEnd(async () => {
    await running.kill();
    await removeFiles();
  });
  addOutputs(environment, running);
  return running;
}

type Ends = Pick<ControllerProcess, 'hasEnded' | 'signal' | 'stop' | 'kill'>;

function endsOf(child: ChildProcess, ended: Promise<unknown>): Ends {
  const end = async (name: NodeJS.Signals): Promise<void> => {
    child.kill(name);
    await ended;
  };
  return {
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    signal: (name) => void child.kill(name),
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function addOutputs({ outputs }: TestEnvironment, running: ControllerProcess): void {
  const { user, output, hasEnded } = running;
  outputs.push({ where: `the log of ${user}`, text: () => Promise.resolve(output()) });
  for (const path of ['/metrics', '/statusz', '/healthz?verbose', '/readyz?verbose']) {
    const text = (): Promise<string> => (hasEnded() ? Promise.resolve('') : textOf(running, path));
    outputs.push({ where: `${path} of ${user}`, text });
  }
}

/** One that has only just been started does not serve yet. */
async function textOf({ page, user }: Pick<ControllerProcess, 'page' | 'user'>, path: string): Promise<string> {
  const wait = { what: `${path} of ${user}`, withinMs: soonMs, everyMs: 50 };
  const { status, text } = await waitUntil(wait, () => page(path).catch(() => undefined));
  if (status !== 200) throw new Error(`${path} of ${user} answers ${String(status)}: ${text}`);
  return text;
}

export const soonMs = 20_000;

/** Fails with the actual output. */
export async function untilLogged(output: () => string, what: RegExp, withinMs: number): Promise<void> {
  const wait = { what: `said ${String(what)}`, withinMs, everyMs: 50 };
  await waitUntil(wait, () => Promise.resolve(what.test(output()) || undefined)).catch((cause: unknown) => {
    throw new Error(`${String(what)} was not said, but:\n${output().slice(-2_000)}`, { cause });
  });
}

export function explain(
  environment: TestEnvironment,
  settings: ControllerProcessSettings,
  operands: readonly string[],
): Promise<RunResult> {
  return runOnce(environment, settings, ['explain', ...operands]);
}

/** A command that ends by itself. */
export async function runOnce(
  environment: TestEnvironment,
  settings: ControllerProcessSettings,
  command: readonly string[],
): Promise<RunResult> {
  const kubeconfig = settings.kubeconfig ?? (await environment.plane.kubeconfigFor('explainer', [controllerGroup]));
  const { args, env, removeFiles } = await prepare(environment, { ...settings, kubeconfig });
  try {
    const result = await runCommand(executable, [...command, ...args], { env, input: '', timeoutMs: 30_000 });
    const text = (): Promise<string> => Promise.resolve(result.stdout + result.stderr);
    environment.outputs.push({ where: command.join(' '), text });
    return result;
  } finally {
    await removeFiles();
  }
}

interface Prepared {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  removeFiles(): Promise<void>;
}

async function prepare(
  { aws, region }: TestEnvironment,
  settings: ControllerProcessSettings & { readonly kubeconfig: string },
): Promise<Prepared> {
  const { deletion, flags, kubeconfig, clouds = ['aws'], config = {}, env = {} } = settings;
  const directory = await mkdtemp(join(tmpdir(), 'ccm-'));
  const file = join(directory, 'config.yaml');
  await writeFile(file, stringify({ ...config, deletion }));
  return {
    args: ['--kubeconfig', kubeconfig, '--cloud-provider', clouds.join(), '--cloud-config', file, ...flags],
    env: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: labUserKey.accessKeyId,
      AWS_SECRET_ACCESS_KEY: labUserKey.secretAccessKey,
      AWS_ENDPOINT_URL_EC2: aws.url('ec2'),
      AWS_ENDPOINT_URL_STS: aws.url('sts'),
      ...env,
    },
    removeFiles: () => rm(directory, { recursive: true, force: true }),
  };
}
