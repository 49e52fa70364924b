import { basename } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import type { HostRoot } from './host-root.ts';
import { pathsIn } from './kubelet-flags.ts';
import { findLayout, layouts } from './layouts.ts';
import type { KubeletPaths, Layout, LayoutWay } from './layouts.ts';
import type { HostFindings, RunningKubelet } from './plan-install.ts';

/** The service that runs the kubelet, also if the distribution is not known. */
export function serviceOfHost(host: HostRoot): string {
  const layout = findLayout(host);
  return layout === undefined ? kubeletService : serviceOf(layout.way, host);
}

const kubeletService = 'kubelet.service';

/** By the files of the host. A kubelet that has both flags can be served on any distribution. */
export function layoutOf(host: HostRoot): Layout {
  const found = findLayout(host) ?? anyLayout(runningKubelet(host)?.paths);
  if (found !== undefined) return found;
  const names = layouts.map(({ name }) => name).join(', ');
  throw new Failure(
    'misconfigured',
    'the host has no kubelet of a known distribution, and none runs with the two flags',
    {
      remedy: `known are ${names}; check --host-root, or set the kubelet's flags by hand`,
    },
  );
}

function anyLayout(paths: KubeletPaths | undefined): Layout | undefined {
  if (paths === undefined) return undefined;
  return { name: 'unknown', matches: () => true, way: { kind: 'flags-set', paths, service: kubeletService } };
}

/** Reads what an installation has to know. */
export function inspectHost(host: HostRoot, { way }: Layout): HostFindings {
  const kubelet = runningKubelet(host);
  const config = (kubelet?.paths ?? pathsOf(way))?.config ?? '';
  return {
    service: serviceOf(way, host),
    configIsFolder: host.isFolder(config),
    configFiles: configFilesAt(config, host),
    readText: host.readText,
    flagFilePath: (file) => (file.kind === 'lines' ? file.path : file.pathOn(host)),
    writtenAtMs: host.writtenAtMs,
    ...(kubelet !== undefined && { kubelet }),
  };
}

/** The files that the kubelet reads, by its flag or by the distribution's default. */
export function kubeletFiles(host: HostRoot): readonly string[] {
  const way = findLayout(host)?.way;
  const paths = runningKubelet(host)?.paths ?? (way === undefined ? undefined : pathsOf(way));
  return configFilesAt(paths?.config ?? '', host);
}

/** As the kubelet reads a folder: sorted, without folders in it. */
function configFilesAt(path: string, host: HostRoot): readonly string[] {
  if (!host.isFolder(path)) return host.readText(path) === undefined ? [] : [path];
  const names = host.list(path).filter((name) => /\.(?:json|ya?ml)$/.test(name));
  return names.map((name) => `${path}/${name}`).filter((file) => !host.isFolder(file));
}

function pathsOf(way: LayoutWay): KubeletPaths | undefined {
  return way.kind === 'refuse' ? undefined : way.paths;
}

/** Those that the running kubelet has not read as they are. */
export function unreadFiles(host: HostRoot, paths: readonly string[]): readonly string[] {
  const startedAtMs = runningKubelet(host)?.startedAtMs ?? Infinity;
  return paths.filter((path) => (host.writtenAtMs(path) ?? 0) > startedAtMs);
}

/** By the host's /proc. */
function runningKubelet(host: HostRoot): RunningKubelet | undefined {
  const processes = host.list('/proc').filter((name) => /^\d+$/.test(name));
  const found = processes.flatMap((pid) => {
    // A process may end meanwhile.
    const args = (host.readText(`/proc/${pid}/cmdline`) ?? '').split('\0').slice(0, -1);
    if (basename(args[0] ?? '') !== 'kubelet') return [];
    const paths = pathsIn(args);
    return [{ startedAtMs: startOf(pid, host), ...(paths !== undefined && { paths }) }];
  });
  return found.find(({ paths }) => paths !== undefined) ?? found[0];
}

/** https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html, field 22, in hundredths of a second since the boot. */
function startOf(pid: string, host: HostRoot): number {
  // The name of the program, the second field, can hold anything between parentheses.
  const fields = (host.readText(`/proc/${pid}/stat`) ?? '').replace(/^.*\) /s, '').split(' ');
  return bootMs(host) + Number(fields[19] ?? 0) * 10;
}

/** The time of the boot in /proc/stat has whole seconds: a kubelet would seem to be older than a file that it has read. */
function bootMs(host: HostRoot): number {
  const [uptimeSeconds] = (host.readText('/proc/uptime') ?? '').split(' ');
  if (uptimeSeconds !== undefined && uptimeSeconds !== '') return Date.now() - Number(uptimeSeconds) * 1_000;
  const bootSeconds = /^btime (?<seconds>\d+)$/m.exec(host.readText('/proc/stat') ?? '')?.groups?.['seconds'];
  return Number(bootSeconds ?? 0) * 1_000;
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
