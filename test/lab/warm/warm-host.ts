import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostArchitecture } from '../../../build/architecture.ts';
import { executablePath } from '../../../build/executables/executable.ts';
import { frontEndName } from '../../../build/executables/front-end.ts';
import type { Namespace } from '../network/namespace.ts';
import { runCommand, withEnvironment } from '../network/run-command.ts';
import type { RunOptions, RunResult } from '../network/run-command.ts';
import { brokerCommand, brokerProcess } from './broker-process.ts';
import type { BrokerProcess } from './broker-process.ts';

/** A machine of the lab whose kubelet finds the front end under the credential provider's name, with its own /run. */
export interface WarmHost {
  /** Runs the credential provider under the name that a kubelet uses. */
  askPlugin(args: readonly string[], options: RunOptions, baseName: string): Promise<RunResult>;
  run(command: string, args: readonly string[], options: RunOptions): Promise<RunResult>;
  startBroker(): Promise<BrokerProcess>;
  /** A path of the machine as it is seen from out here; sockets can be made and reached by it too. */
  path(inside: string): string;
}

export const pluginName = 'polycloud-credential-provider';
/** By its full path: it is run with whatever PATH a test gives. */
const nsenter = '/usr/bin/nsenter';
export const pluginDirectory = '/run/plugins';

/** It ends with its namespace. */
export async function createWarmHost(namespace: Namespace): Promise<WarmHost> {
  const arch = hostArchitecture();
  const prepare = [
    'set -e',
    'mount -t tmpfs -o mode=755 tmpfs /run',
    `mkdir ${pluginDirectory}`,
    `cp ${executablePath(frontEndName, arch)} ${pluginDirectory}/${pluginName}`,
    `ln -s ${executablePath(pluginName, arch)} ${pluginDirectory}/${pluginName}-full`,
    'echo ready',
    'exec cat',
  ];
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };
  const shell = namespace.start(
    'unshare',
    ['--mount', '--propagation', 'private', 'sh', '-c', prepare.join('\n')],
    env,
  );
  await Promise.race([
    once(shell.stdout, 'data'),
    once(shell, 'exit').then(() => Promise.reject(new Error('no host'))),
  ]);
  const into = [`--target=${shell.pid}`, '--mount', '--net', '--'];
  const run: WarmHost['run'] = (command, args, options) => runCommand(nsenter, [...into, command, ...args], options);
  return {
    path: (inside) => `/proc/${shell.pid}/root${inside}`,
    run,
    askPlugin: (args, options, baseName) => run(`${pluginDirectory}/${baseName}`, args, options),
    startBroker: async () => {
      const [command, argv] = withEnvironment({}, nsenter, [...into, ...brokerCommand]);
      const broker = brokerProcess(spawn(command, argv, { stdio: ['pipe', 'pipe', 'pipe'] }));
      await broker.send({});
      return broker;
    },
  };
}
