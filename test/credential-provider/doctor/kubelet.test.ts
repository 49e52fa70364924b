import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Test } from 'tap';
import { findKubelet } from '../../../credential-provider/doctor/kubelet.ts';

interface Process {
  readonly args: readonly string[];
  readonly env?: readonly string[];
  /** Which files it sees. */
  readonly files?: string;
}

/** A directory like /proc. */
function procDirectory(t: Test, all: Readonly<Record<string, Process>>): string {
  const directoryOf = ({ args, env = [], files = 'ours' }: Process) => ({
    cmdline: nulSeparated(args),
    environ: nulSeparated(env),
    ns: { mnt: t.fixture('symlink', files) },
  });
  const running = Object.entries({ self: { args: ['node'] }, ...all });
  const directories = running.map(([pid, each]): [string, ReturnType<typeof directoryOf>] => [pid, directoryOf(each)]);
  return t.testdir({ uptime: '1 1', ...Object.fromEntries(directories) });
}

function nulSeparated(words: readonly string[]): string {
  return words.map((word) => `${word}\0`).join('');
}

const kubelet: Process = {
  args: [
    '/usr/bin/kubelet',
    '--v=2',
    '--image-credential-provider-config=/etc/k.yaml',
    '--image-credential-provider-bin-dir',
    '/opt/bin',
  ],
  env: ['AWS_REGION=us-west-2', 'EMPTY=', 'EQUAL=a=b'],
};

await t.test('its flags in either form, and its environment', (t) => {
  const found = findKubelet(procDirectory(t, { 1: { args: ['/sbin/init'] }, 77: kubelet }));
  t.strictSame(found, {
    pid: 77,
    env: { AWS_REGION: 'us-west-2', EMPTY: '', EQUAL: 'a=b' },
    configPath: '/etc/k.yaml',
    binDirectory: '/opt/bin',
  });
  t.end();
});

await t.test('a kubelet without flags counts too', (t) => {
  t.strictSame(findKubelet(procDirectory(t, { 5: { args: ['kubelet'] } })), { pid: 5, env: {} });
  t.end();
});

await t.test('not a kubelet: another name, other files, a kernel thread', (t) => {
  const all = {
    2: { args: [] },
    3: { args: ['kubelet-wrapper'] },
    4: { args: ['/bin/bash', 'kubelet'] },
    5: { ...kubelet, files: 'those of a container' },
  };
  t.equal(findKubelet(procDirectory(t, all)), undefined);
  t.equal(findKubelet(procDirectory(t, { ...all, 9: kubelet }))?.pid, 9);
  t.end();
});

await t.test('a process that ends meanwhile, or that we may not inspect, is skipped', (t) => {
  const directory = procDirectory(t, { 5: kubelet, 6: kubelet });
  chmodSync(join(directory, '5/cmdline'), 0o000);
  t.match(findKubelet(directory), { pid: Number });
  t.equal(findKubelet(t.testdir({ 7: {}, self: { ns: { mnt: t.fixture('symlink', 'ours') } } })), undefined);
  t.end();
});
