import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The cgroups of a machine, as far as a node can have a part of them. */
export type CgroupLayout =
  | { readonly version: 1; readonly hierarchies: readonly Hierarchy[] }
  /** This has not run yet: it follows the kernel's documentation. */
  | { readonly version: 2; readonly mountPoint: string };

/** One of those that cgroup v1 has side by side. */
export interface Hierarchy {
  readonly mountPoint: string;
  /** As the mount option has it, e.g. `cpu,cpuacct`. */
  readonly controllers: string;
}

export type FoundLayout = CgroupLayout | { readonly version: undefined; readonly missing: readonly string[] };

export function findLayout(): FoundLayout {
  return layoutFrom(readFileSync('/proc/self/mounts', 'utf8'), (mountPoint) =>
    readFileSync(join(mountPoint, 'cgroup.controllers'), 'utf8'),
  );
}

/** The first version where that is complete, as on machines that have both, since a controller is with one of them. */
export function layoutFrom(mounts: string, controllersOf: (mountPoint: string) => string): FoundLayout {
  const all = mounts.split('\n').map(parseMount);
  const hierarchies = all.flatMap(toHierarchy);
  const first = without(
    requiredV1Controllers,
    hierarchies.flatMap(({ controllers }) => controllers.split(',')),
  );
  if (first.length === 0) return { version: 1, hierarchies };
  const { mountPoint } = all.find(({ type }) => type === 'cgroup2') ?? {};
  const second = without(
    requiredV2Controllers,
    mountPoint === undefined ? [] : controllersOf(mountPoint).trim().split(' '),
  );
  if (mountPoint !== undefined && second.length === 0) return { version: 2, mountPoint };
  return { version: undefined, missing: hierarchies.length > 0 ? first : second };
}

/** Without these the kubelet does not start. */
export const requiredV2Controllers: readonly string[] = ['cpu', 'cpuset', 'memory', 'pids'];
const requiredV1Controllers = [...requiredV2Controllers, 'cpuacct'];

const known = new Set([...requiredV1Controllers, 'devices', 'freezer', 'blkio', 'hugetlb', 'net_cls', 'net_prio']);

interface Mount {
  readonly mountPoint: string;
  readonly type: string;
  readonly options: readonly string[];
}

function parseMount(line: string): Mount {
  const [, mountPoint = '', type = '', options = ''] = line.split(' ');
  return { mountPoint, type, options: options.split(',') };
}

/** The one by which systemd keeps its units has no controllers. */
function toHierarchy({ mountPoint, type, options }: Mount): readonly Hierarchy[] {
  const controllers = options.filter((option) => known.has(option));
  return type === 'cgroup' && controllers.length > 0 ? [{ mountPoint, controllers: controllers.join(',') }] : [];
}

function without(needed: readonly string[], present: readonly string[]): readonly string[] {
  return needed.filter((each) => !present.includes(each));
}
