import { existsSync } from 'node:fs';
import { findPrograms } from '../control-plane/find-programs.ts';
import type { Support } from '../requires.ts';
import { namespaceSupport } from '../network/support.ts';
import { findLayout } from './cgroup-layout.ts';

/** Can a node be booted here? If not, `reason` names what is missing. */
export async function nodeSupport(): Promise<Support> {
  const namespaces = await namespaceSupport();
  if (!namespaces.available) return namespaces;
  const packages = Object.keys(nodeFiles).filter((name) => !(nodeFiles[name] ?? []).every((file) => existsSync(file)));
  if (packages.length > 0) return missing(`the Debian packages ${packages.join(', ')}`);
  const cgroups = findLayout();
  if (cgroups.version === undefined) return missing(`the cgroup controllers ${cgroups.missing.join(', ')}, mounted`);
  const programs = await findPrograms();
  return programs.available ? programs : missing(programs.reason);
}

/** What a node takes besides Kubernetes, and by which files it is known that it is there. */
const nodeFiles: Readonly<Record<string, readonly string[]>> = {
  containerd: ['/usr/bin/containerd', '/usr/bin/ctr'],
  runc: ['/usr/sbin/runc'],
  'docker-registry': ['/usr/bin/docker-registry'],
  'containernetworking-plugins': ['/usr/lib/cni/bridge', '/usr/lib/cni/host-local', '/usr/lib/cni/loopback'],
  'busybox-static': ['/bin/busybox', '/usr/share/doc/busybox-static'],
  'util-linux': ['/usr/bin/nsenter', '/usr/bin/unshare'],
};

export const nodePackages: readonly string[] = Object.keys(nodeFiles);

function missing(what: string): Support {
  return { available: false, reason: `a node needs ${what}` };
}
