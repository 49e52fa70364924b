import t from 'tap';
import { layoutFrom } from './cgroup-layout.ts';
import { nodeSupport } from './support.ts';

const root = 'tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/systemd cgroup rw,relatime,name=systemd 0 0\n';
const first = ['cpu,cpuacct', 'cpuset', 'memory', 'pids'];
const second = 'cgroup2 /sys/fs/cgroup/unified cgroup2 rw 0 0\n';

function mounted(all: readonly string[]): string {
  return all.map((each) => `cgroup /sys/fs/cgroup/${each} cgroup rw,relatime,${each} 0 0\n`).join('');
}

await t.test('cgroups of the first version are taken where they are complete', async (t) => {
  const hierarchies = first.map((controllers) => ({ mountPoint: `/sys/fs/cgroup/${controllers}`, controllers }));
  t.same(
    layoutFrom(root + mounted(first) + second, () => ''),
    { version: 1, hierarchies },
  );
});

await t.test('else those of the second', async (t) => {
  const found = layoutFrom(second, () => 'cpuset cpu io memory pids\n');
  t.same(found, { version: 2, mountPoint: '/sys/fs/cgroup/unified' });
});

await t.test('what is missing is named', async (t) => {
  t.same(
    layoutFrom('', () => ''),
    { version: undefined, missing: ['cpu', 'cpuset', 'memory', 'pids'] },
  );
  t.same(
    layoutFrom(second, () => 'cpu memory\n'),
    { version: undefined, missing: ['cpuset', 'pids'] },
  );
  const few = root + mounted(['cpu,cpuacct', 'cpuset', 'memory']) + second;
  t.same(
    layoutFrom(few, () => ''),
    { version: undefined, missing: ['pids'] },
  );
});

await t.test('a machine that cannot run a node is told what is missing', async (t) => {
  const support = await nodeSupport();
  t.ok(support.available || / needs? /.test(support.reason));
});
