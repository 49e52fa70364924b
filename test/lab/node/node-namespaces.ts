import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { logTail } from '../../../build/log-tail.ts';
import { startSupervised } from '../../../build/supervised-process.ts';
import type { ProcessOptions, SupervisedProcess } from '../../../build/supervised-process.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import type { RunOptions, RunResult } from '../network/run-command.ts';
import { runCommand, withEnvironment } from '../network/run-command.ts';
import { createCgroups, removeAbandonedCgroups, removeCgroups } from './cgroups.ts';
import type { NodeCgroups } from './cgroups.ts';
import { initScript } from './init-script.ts';
import { childInside, withPrefix, programInside, withOwnEnvironment } from './launch.ts';

export interface NodeNamespacesOptions {
  /** The network namespace that it is laid around; its cgroups have this name too. */
  readonly network: string;
  readonly hostname: string;
  readonly etcFiles: string;
  readonly dmi: Readonly<Record<string, string>>;
  readonly serviceManager: 'systemd' | undefined;
  readonly directory: string;
  readonly logs: string;
}

/** The namespaces of a node with nothing in them yet. */
export interface NodeNamespaces {
  /** Starts a program in all of them; signals go to the program itself. */
  launch(options: ProcessOptions): Promise<SupervisedProcess>;
  run(file: string, args: readonly string[], options: RunOptions): Promise<RunResult>;
  /** Where one of its files is found out here. */
  path(inside: string): string;
  /** Nothing of it is left: no process, no mount, no cgroup. The network namespace stays. */
  remove(): Promise<void>;
}

export async function createNodeNamespaces(options: NodeNamespacesOptions): Promise<NodeNamespaces> {
  await removeAbandonedCgroups();
  const groups = createCgroups(options.network, options.serviceManager);
  try {
    const { parent, init } = await startInit(options, groups);
    groups.enterInner(parent.pid);
    const enter = [...enterCgroups(groups.inner), nsenter, '--target', String(init), ...enteredNamespaces, '--'];
    return {
      launch: async (program) => programInside(await startSupervised(withPrefix(withOwnEnvironment(program), enter))),
      run: (file, args, runOptions) => {
        const [command = '', ...rest] = enter;
        // The environment is set inside, the way in has its own.
        const inside = withEnvironment(runOptions.env, file, args).flat();
        return runCommand(command, [...rest, ...inside], { ...runOptions, env: { PATH: path } });
      },
      path: (inside) => `/proc/${String(init)}/root${inside}`,
      remove: async () => {
        parent.signal('SIGKILL');
        await removeCgroups(options.network);
        await parent.ended;
      },
    };
  } catch (error) {
    await removeCgroups(options.network);
    throw error;
  }
}

const nsenter = '/usr/bin/nsenter';
const enteredNamespaces = ['--mount', '--net', '--uts', '--pid', '--cgroup'];
const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The shell enters the cgroups named before `--`, and becomes the program that is named after it. */
function enterCgroups(groups: readonly string[]): readonly string[] {
  const script = 'while [ "$1" != -- ]; do echo $$ > "$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';
  return ['/bin/sh', '-c', script, 'sh', ...groups, '--'];
}

interface Init {
  readonly parent: SupervisedProcess;
  /** As this machine counts. */
  readonly init: number;
}

async function startInit(options: NodeNamespacesOptions, groups: NodeCgroups): Promise<Init> {
  const { network, directory, logs, hostname, etcFiles, dmi, serviceManager } = options;
  const readyFile = join(directory, 'furnished');
  const disk = isOverlay(directory) ? undefined : join(directory, 'disk');
  const script = initScript({ hostname, etcFiles, disk, dmi, serviceManager, readyFile, cgroups: groups.layout });
  const unshare = ['unshare', '--mount', '--propagation', 'private', '--uts', '--cgroup', '--pid', '--fork'];
  const file = '/bin/sh';
  const into = [
    ...enterCgroups(groups.outer),
    nsenter,
    `--net=/run/netns/${network}`,
    '--',
    ...unshare,
    '--kill-child',
  ];
  const command = { file, args: ['-c', script], env: { PATH: path }, directory, logFile: join(logs, 'init.log') };
  const parent = await startSupervised(withPrefix(command, into));
  await waitUntil({ what: 'the namespaces of the node', withinMs: 20_000, everyMs: 10 }, async () => {
    if (existsSync(readyFile)) return true;
    const ending = parent.ending();
    if (ending === undefined) return undefined;
    throw new Error(`the node's first process ${ending}: ${await logTail(parent.logFile, 4)}`);
  });
  const init = childInside(parent.pid);
  if (init === undefined) throw new Error('the first process of the node has gone');
  return { parent, init };
}

/** Images are unpacked into overlays, and these cannot lie on another one, as in a container. */
function isOverlay(directory: string): boolean {
  return statfsSync(directory).type === overlayMagic;
}

const overlayMagic = 0x79_4c_76_30;
