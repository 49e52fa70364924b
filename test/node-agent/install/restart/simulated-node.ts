import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../../../lib/failure.ts';
import { openHostRoot } from '../../../../node-agent/install/host-root.ts';
import type { HostRoot } from '../../../../node-agent/install/host-root.ts';
import type { Systemd, UnitState } from '../../../../node-agent/install/systemd/systemd.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { hostTrees, libraries, writeTree } from '../host-trees.ts';

/**
 * A host of kubeadm's layout in a folder, with a kubelet that reads its flags when it starts, and systemd as far as the
 * installer uses it. The script that restores files is the real one.
 */
export interface SimulatedNode {
  readonly root: string;
  readonly host: HostRoot;
  readonly systemd: Systemd;
  readNode(): Promise<Node>;
  /** How often the kubelet was started. */
  starts(): number;
  /** Whether it runs, and with the flags that are on the host now. */
  isWell(): boolean;
  /** As a reboot: only enabled timers start again, from 0. */
  reboot(): void;
  /** What systemd was asked to do fails from now on. */
  fail(member: keyof Systemd): void;
}

export interface NodeBehavior {
  readonly clock: FakeClock;
  /** Whether the kubelet starts with flags of the credential provider. */
  readonly startsWithFlags: boolean;
}

const timerName = 'polycloud-install-rollback.timer';
const unitFolder = 'etc/systemd/system';
const flagFile = 'etc/default/kubelet';
const heartbeatAfterMs = 1_000;

export function createSimulatedNode(root: string, { clock, startsWithFlags }: NodeBehavior): SimulatedNode {
  for (const tree of [libraries, hostTrees['kubeadm on Debian'] ?? {}]) writeTree(root, tree);
  writeTree(join(root, 'proc/sys/kernel/random'), { boot_id: 'this-boot\n' });
  const commands = writeCommands(root);
  const failing = new Set<keyof Systemd>();
  let [starts, flags, startedAtMs] = [0, '', clock.wallMs() - 3_600_000];
  let ready: { readonly status: 'True' | 'False'; readonly heartbeatMs: number };
  let isRunning = true;
  let timerRun = new AbortController();
  ready = { status: 'True', heartbeatMs: startedAtMs };

  const flagsOnHost = (): string => readIfThere(join(root, flagFile));
  function startKubelet(): void {
    starts += 1;
    flags = flagsOnHost();
    startedAtMs = clock.wallMs() + 100;
    isRunning = startsWithFlags || flags === '';
    writeProcess(root, isRunning ? flags : undefined);
    const run = starts;
    if (isRunning) wait(heartbeatAfterMs, () => run === starts && reportReady());
  }
  function reportReady(): void {
    ready = { status: 'True', heartbeatMs: clock.wallMs() };
  }
  function wait(durationMs: number, then: () => unknown, { signal } = new AbortController()): void {
    clock.sleep(durationMs, signal).then(then, () => undefined);
  }
  function startTimer(): void {
    timerRun.abort(new Error('stopped'));
    timerRun = new AbortController();
    wait(60_000, restore, timerRun);
  }
  function restore(): void {
    const script = readIfThere(join(root, 'var/lib/polycloud/restart/rollback.sh'));
    const { stdout, status } = runScript(script, root, commands);
    if (status !== 0) throw new Error(`the script ended with ${String(status)}`);
    if (stdout.includes('systemctl restart')) startKubelet();
  }
  function ask<Answer>(member: keyof Systemd, answer: () => Answer): Promise<Answer> {
    const error = new Failure('unavailable', `${member} failed`, { remedy: 'none' });
    return failing.has(member) ? Promise.reject(error) : Promise.resolve().then(answer);
  }
  function stateOf(name: string): UnitState | undefined {
    if (name !== 'kubelet.service') return existsSync(join(root, unitFolder, name)) ? { active: 'active' } : undefined;
    return isRunning ? { active: 'active', mainStartedAtMs: startedAtMs } : { active: 'activating' };
  }
  const link = join(root, unitFolder, 'timers.target.wants', timerName);
  const systemd: Systemd = {
    reload: () => ask('reload', () => undefined),
    startUnit: () => ask('startUnit', restore),
    stopUnit: () => ask('stopUnit', () => timerRun.abort(new Error('stopped'))),
    restartUnit: () => ask('restartUnit', startTimer),
    queueRestart: () => ask('queueRestart', startKubelet),
    enableUnit: () => ask('enableUnit', () => writeTree(join(link, '..'), { [timerName]: '' })),
    disableUnit: () => ask('disableUnit', () => rmSync(link, { force: true })),
    unitState: (name) => ask('unitState', () => stateOf(name)),
    close: () => undefined,
  };
  return {
    root,
    host: openHostRoot(root),
    systemd,
    readNode: () => Promise.resolve(nodeWith(ready.status, ready.heartbeatMs)),
    starts: () => starts,
    isWell: () => isRunning && flags === flagsOnHost() && ready.status === 'True',
    reboot: () => {
      timerRun.abort(new Error('reboot'));
      startKubelet();
      if (existsSync(link)) startTimer();
    },
    fail: (member) => void failing.add(member),
  };
}

function nodeWith(status: 'True' | 'False', heartbeatMs: number): Node {
  // With whole seconds, as Kubernetes has them.
  const lastHeartbeatTime = new Date(heartbeatMs).toISOString().replace(/\.\d+Z$/, 'Z');
  const metadata = { name: 'node-1', uid: 'u', resourceVersion: '1', creationTimestamp: '' };
  const conditions = [{ type: 'Ready', status, lastHeartbeatTime }];
  return { metadata, spec: {}, status: { conditions, nodeInfo: { bootID: 'this-boot' } } };
}

/** As /proc has the kubelet that started now; by the real clock, as the times of files. */
function writeProcess(root: string, flags: string | undefined): void {
  const variable = /"(?<value>.*)"/.exec(flags ?? '')?.groups?.['value'] ?? '';
  const args = ['/usr/bin/kubelet', '--cloud-provider=external', ...variable.split(' ').filter((arg) => arg !== '')];
  const ticks = Math.ceil(Date.now() / 10) + 1;
  const cmdline = flags === undefined ? '' : `${args.join('\0')}\0`;
  const stat = `90 (kubelet) S ${'0 '.repeat(18)}${String(ticks)} 0`;
  writeTree(join(root, 'proc'), { '90': { cmdline, stat }, stat: 'btime 0\n' });
}

function writeCommands(root: string): string {
  const folder = join(root, '.commands');
  mkdirSync(folder);
  for (const name of ['systemctl', 'sync']) {
    writeFileSync(join(folder, name), `#!/bin/sh\necho ${name} "$@"\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Below the root: the script has whole paths between quotes. */
function runScript(
  script: string,
  root: string,
  commands: string,
): { readonly stdout: string; readonly status: number | null } {
  const below = script.replaceAll(`'/`, `'${root}/`);
  return spawnSync('/bin/sh', ['-c', below], { env: { PATH: `${commands}:/usr/bin:/bin` }, encoding: 'utf8' });
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}
