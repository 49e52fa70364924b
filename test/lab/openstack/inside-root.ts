import type { PartProgram } from '../control-plane/processes.ts';

export interface RootFiles {
  readonly root: string;
  /** Appears as /lab. */
  readonly work: string;
}

/** A command with another root file system, in a mount namespace that ends with it. Only /lab and /tmp are written to. */
export function insideRoot({ root, work }: RootFiles, command: readonly string[]): PartProgram {
  const shell = ['--mount', '--propagation', 'private', '/bin/sh', '-c', script, 'sh', root, work];
  return { file: '/usr/bin/unshare', args: [...shell, ...command] };
}

/** Each step becomes the next, so that the process id is the command's. */
const script = `
set -e
root=$1 work=$2
shift 2
mkdir -p "$root/lab" "$root/proc" "$root/dev" "$root/tmp"
mount --bind "$work" "$root/lab"
mount --rbind /proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs tmpfs "$root/tmp"
exec env -i PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 HOME=/tmp PYTHONDONTWRITEBYTECODE=1 \\
  chroot "$root" "$@"
`;
