import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { projectDirectory } from '../../../build/project.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { labUserKey } from '../../lab/clouds/aws/state.ts';
import type { AccessKey } from '../../lab/clouds/aws/state.ts';
import { runCommand, withEnvironment } from '../../lab/network/run-command.ts';
import type { RunResult } from '../../lab/network/run-command.ts';
import type { World } from './world.ts';

export interface ControllerWishes {
  readonly deletion: Partial<LifecycleSettings>;
  readonly flags: readonly string[];
  readonly key?: AccessKey;
}

/** The program as it runs in a cluster, with a configuration file of its own. */
export interface RunningController {
  /** All that it has said so far. */
  said(): string;
  stop(): Promise<void>;
}

export async function startController(world: World, wishes: ControllerWishes): Promise<RunningController> {
  const { args, env, removeFiles } = await prepare(world, wishes);
  const child = spawn(...withEnvironment(env, process.execPath, args), { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  const hear = (piece: string): void => {
    text += piece;
  };
  child.stdout.setEncoding('utf8').on('data', hear);
  child.stderr.setEncoding('utf8').on('data', hear);
  const ended = once(child, 'close');
  return {
    said: () => text,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      await removeFiles();
    },
  };
}

export async function explain(world: World, wishes: ControllerWishes, operands: readonly string[]): Promise<RunResult> {
  const { args, env, removeFiles } = await prepare(world, wishes);
  try {
    const [main = '', ...rest] = args;
    return await runCommand(process.execPath, [main, 'explain', ...operands, ...rest], {
      env,
      input: '',
      timeoutMs: 30_000,
    });
  } finally {
    await removeFiles();
  }
}

interface Prepared {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  removeFiles(): Promise<void>;
}

async function prepare({ plane, aws, region }: World, wishes: ControllerWishes): Promise<Prepared> {
  const directory = await mkdtemp(join(tmpdir(), 'ccm-'));
  const config = join(directory, 'config.yaml');
  await writeFile(config, stringify({ deletion: wishes.deletion }));
  const key = wishes.key ?? labUserKey;
  const common = ['--kubeconfig', plane.adminKubeconfig, '--cloud-provider', 'aws', '--cloud-config', config];
  return {
    args: [join(projectDirectory, 'ccm/main.ts'), ...common, '--secure-port', '0', ...wishes.flags],
    env: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: key.accessKeyId,
      AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
      AWS_ENDPOINT_URL_EC2: aws.url('ec2'),
      AWS_ENDPOINT_URL_STS: aws.url('sts'),
    },
    removeFiles: () => rm(directory, { recursive: true }),
  };
}
