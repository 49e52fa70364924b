import type { CgroupLayout } from './cgroup-layout.ts';
import { systemGroup } from './cgroups.ts';
import { becomeSystemd, startSystemd } from './systemd.ts';

export interface InitOptions {
  readonly hostname: string;
  /** What `ip netns exec` mounts over /etc. */
  readonly etcFiles: string;
  /** A directory for what is large; none: memory. */
  readonly disk: string | undefined;
  readonly cgroups: CgroupLayout;
  /** The firmware texts of the machine, by file below /sys/class/dmi/id. */
  readonly dmi: Readonly<Record<string, string>>;
  /** Absent: it has no service manager. */
  readonly serviceManager: 'systemd' | undefined;
  /** Appears when the node is furnished. */
  readonly readyFile: string;
}

/** Process 1 of the node. When it is killed, the kernel kills every process of the node and drops every mount. */
export function initScript(options: InitOptions): string {
  return [
    'set -eu',
    `hostname ${quote(options.hostname)}`,
    ...freshKernelFiles,
    ...cgroupMounts(options.cgroups),
    ...writableFolders,
    ...firmware(options.dmi),
    ...bigFolders(options.disk),
    ...names(options.etcFiles),
    ...(options.serviceManager === undefined ? [] : becomeSystemd),
    // What the kubelet mounts has to be seen by the runtime, and the other way round.
    'mount --make-rshared /',
    `: > ${quote(options.readyFile)}`,
    // Orphans are left to it, and a shell that waits takes them.
    options.serviceManager === undefined ? 'while :; do sleep 86400 & wait $! || :; done' : startSystemd,
  ].join('\n');
}

/** The old /sys shows the devices of the machine's network, and the new one has no cgroups. */
const freshKernelFiles = ['mount -t proc proc /proc', 'umount -l /sys', 'mount -t sysfs sysfs /sys'];

/** What is mounted here shows the node's own groups alone. */
function cgroupMounts(layout: CgroupLayout): readonly string[] {
  if (layout.version === 2) {
    const root = '/sys/fs/cgroup';
    return [`mount -t cgroup2 cgroup ${root}`, `echo $$ > ${root}/${systemGroup}/cgroup.procs`];
  }
  return [
    'mount -t tmpfs -o mode=755 cgroups /sys/fs/cgroup',
    ...layout.hierarchies.flatMap(({ controllers }) => {
      const folder = quote(`/sys/fs/cgroup/${controllers}`);
      return [`mkdir ${folder}`, `mount -t cgroup -o ${quote(controllers)} cgroup ${folder}`];
    }),
  ];
}

/** Production paths that can be written to, and that are gone with the node. */
const writableFolders = [
  'mount -t tmpfs -o mode=755 run /run',
  'mkdir -p /run/lock /run/netns',
  ...['etc', 'opt', 'usr', 'var'].flatMap((name) => overlay(`/${name}`, name)),
  'mkdir -p /var/log/pods /var/lib/cni',
];

function overlay(folder: string, name: string): readonly string[] {
  const [upper, work] = [`/run/.upper/${name}`, `/run/.work/${name}`];
  return [
    `mkdir -p ${upper} ${work}`,
    `mount -t overlay -o lowerdir=${folder},upperdir=${upper},workdir=${work} node ${folder}`,
  ];
}

/** Nothing can be made in sysfs itself. */
function firmware(dmi: InitOptions['dmi']): readonly string[] {
  const entries = Object.entries(dmi);
  if (entries.length === 0) return [];
  const folder = '/run/.upper/sys-class/dmi/id';
  const files = entries.map(([name, value]) => `printf '%s\\n' ${quote(value)} > ${folder}/${name}`);
  return [`mkdir -p ${folder}`, ...files, ...overlay('/sys/class', 'sys-class')];
}

function bigFolders(disk: string | undefined): readonly string[] {
  return ['/var/lib/containerd', '/var/lib/kubelet'].flatMap((folder, index) => {
    if (disk === undefined) return [`mkdir -p ${folder}`, `mount -t tmpfs node ${folder}`];
    const source = quote(`${disk}/${String(index)}`);
    return [`mkdir -p ${folder} ${source}`, `mount --bind ${source} ${folder}`];
  });
}

function names(etcFiles: string): readonly string[] {
  return ['hosts', 'resolv.conf', 'ssl'].map((name) => `mount --bind ${quote(`${etcFiles}/${name}`)} /etc/${name}`);
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
