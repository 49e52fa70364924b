import { existsSync } from 'node:fs';
import type { Support } from '../requires.ts';
import { findLayout } from './cgroup-layout.ts';

export const systemdPackages: readonly string[] = ['systemd', 'dbus'];

/** Whether the first process of a node can be systemd here. */
export function systemdSupport(): Support {
  const files = ['/usr/lib/systemd/systemd', '/usr/bin/systemctl', '/usr/bin/dbus-daemon'];
  if (!files.every((file) => existsSync(file))) return missing(`the Debian packages ${systemdPackages.join(' and ')}`);
  // By the kernel's documentation the second version would do too; it has not been tried.
  if (findLayout().version !== 1) return missing('cgroups of the first version');
  return unitHierarchies().length > 0 ? { available: true } : missing('the cgroup hierarchy name=systemd, mounted');
}

function missing(what: string): Support {
  return { available: false, reason: `a node with systemd needs ${what}` };
}

/** Where systemd keeps track of the processes of its units, apart from the controllers: in the first that there is. */
export function unitHierarchies(): readonly string[] {
  return Object.keys(unitMounts).filter((folder) => existsSync(folder));
}

const unitMounts: Readonly<Record<string, string>> = {
  '/sys/fs/cgroup/systemd': '-t cgroup -o none,name=systemd cgroup',
  '/sys/fs/cgroup/unified': '-t cgroup2 cgroup',
};

/**
 * Makes the shell systemd, with units of its own and D-Bus. Nothing of the machine's is started: its units would clear
 * /tmp, set the kernel's parameters and create devices, which the node shares with it.
 */
export const becomeSystemd: readonly string[] = [
  ...unitHierarchies().flatMap((folder) => [`mkdir ${folder}`, `mount ${unitMounts[folder] ?? ''} ${folder}`]),
  ...privateDevices(['null', 'zero', 'full', 'random', 'urandom', 'tty', 'kmsg']),
  // systemd raises the limits of open files of the whole machine. The kubelet sets some of the other parameters.
  'mount --bind /proc/sys/fs /proc/sys/fs',
  'mount -o remount,bind,ro /proc/sys/fs',
  // systemd sets the name of the machine to what is there.
  'hostname > /etc/hostname',
  'mount -t tmpfs units /etc/systemd/system',
  `(cd /usr/lib/systemd/system && cp ${neededUnits().join(' ')} /etc/systemd/system)`,
  // For the units of packages.
  'mount -t tmpfs units /usr/lib/systemd/system',
  'mkdir /etc/systemd/system/sockets.target.wants',
  'ln -s ../dbus.socket /etc/systemd/system/sockets.target.wants',
];

/** The last line of the script. */
export const startSystemd = [
  'exec env -i container=lab PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  'SYSTEMD_UNIT_PATH=/etc/systemd/system:/usr/lib/systemd/system SYSTEMD_GENERATOR_PATH=/nonexistent',
  'SYSTEMD_ENVIRONMENT_GENERATOR_PATH=/nonexistent',
  '/usr/lib/systemd/systemd --system --unit=multi-user.target --show-status=no',
].join(' ');

function privateDevices(names: readonly string[]): readonly string[] {
  const folder = '/run/.devices';
  return [
    `mkdir ${folder}`,
    `mount -t tmpfs -o mode=755 devices ${folder}`,
    ...names.map((name) => `touch ${folder}/${name} && mount --bind /dev/${name} ${folder}/${name}`),
    `mkdir ${folder}/shm ${folder}/pts`,
    `mount --move ${folder} /dev`,
    'mount -t tmpfs shm /dev/shm',
    'mount -t devpts -o newinstance,ptmxmode=0666 devpts /dev/pts',
    'ln -s pts/ptmx /dev/ptmx',
  ];
}

function neededUnits(): readonly string[] {
  const targets = ['basic', 'sysinit', 'timers', 'sockets', 'paths', 'slices', 'shutdown', 'umount', 'multi-user'];
  return ['dbus.socket', 'dbus.service', ...targets.map((name) => `${name}.target`)];
}
