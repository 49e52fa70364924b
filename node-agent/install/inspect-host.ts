import { basename } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import type { HostRoot } from './host-root.ts';
import { pathsIn } from './kubelet-flags.ts';
import type { KubeletPaths, Layout, LayoutWay } from './layouts.ts';
import type { HostFindings } from './plan-install.ts';

/** Reads what an installation has to know. */
export function inspectHost(host: HostRoot, layout: Layout): HostFindings {
  const { way } = layout;
  const running = runningKubelet(host);
  const config = (running ?? pathsOf(way))?.config ?? '';
  return {
    layout,
    service: serviceOf(way, host),
    configIsFolder: host.isFolder(config),
    readText: host.readText,
    flagFilePath: (file) => (file.kind === 'lines' ? file.path : file.pathOn(host)),
    ...(running !== undefined && { running }),
  };
}

function pathsOf(way: LayoutWay): KubeletPaths | undefined {
  return way.kind === 'refuse' ? undefined : way.paths;
}

/** By the host's /proc. `undefined`: no kubelet runs as a process of its own, or it has not both flags. */
function runningKubelet(host: HostRoot): KubeletPaths | undefined {
  const processes = host.list('/proc').filter((name) => /^\d+$/.test(name));
  const found = processes.map((pid) => {
    // A process may end meanwhile.
    const args = (host.readText(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(0, -1);
    return basename(args[0] ?? '') === 'kubelet' ? pathsIn(args) : undefined;
  });
  return found.find((paths) => paths !== undefined);
}

const unitFolders = ['/etc/systemd/system', '/usr/lib/systemd/system', '/lib/systemd/system'];

function serviceOf(way: LayoutWay, host: HostRoot): string {
  if (way.kind === 'print' || way.kind === 'refuse') return '';
  if (way.kind !== 'flags-if-present') return way.service;
  const found = way.services.find((name) =>
    unitFolders.some((folder) => host.kindOf(`${folder}/${name}`) !== 'absent'),
  );
  if (found !== undefined) return found;
  throw new Failure('misconfigured', `none of ${way.services.join(', ')} is a service of this host`, {
    remedy: 'check that --host-root is the root of the host',
  });
}
