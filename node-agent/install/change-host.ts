import { Failure } from '../../lib/failure.ts';
import { hasHostBroker, startHostBroker, stopHostBroker } from './host-broker.ts';
import type { HostRoot } from './host-root.ts';
import type { HostWork } from './host-work.ts';
import { install, installWork, uninstallWork } from './install.ts';
import type { InstallRequest, InstallResult, UninstallResult } from './install.ts';
import { readPhase } from './restart/attempt.ts';
import { restartWith } from './restart/restart-kubelet.ts';
import type { OpenTools } from './restart/restart-tools.ts';
import { connectToSystemd } from './systemd/systemd.ts';
import type { Systemd } from './systemd/systemd.ts';

/** Connects to what a restart of the kubelet needs. Absent: the kubelet is not restarted. */
type OpenRestart = ((host: HostRoot) => Promise<OpenTools>) | undefined;

/** Installs, and starts the broker of the host if it is wanted. systemd has to be in reach before anything is written. */
export async function installOnHost(request: InstallRequest, openRestart?: OpenRestart): Promise<InstallResult> {
  const { host, sources, isDryRun } = request;
  if (isDryRun) return install(request);
  if (sources.agent === undefined) return doWork(host, () => installWork(request), openRestart);
  const systemd = await systemdOf(host);
  try {
    const result = await doWork(host, () => installWork(request), openRestart);
    if (result.kind === 'printed') return result;
    if (systemd === undefined) return { ...result, hostBroker: 'next-boot' };
    await startHostBroker(systemd, result.changed);
    return { ...result, hostBroker: 'running' };
  } finally {
    systemd?.close();
  }
}

/** Stops the broker of the host before its files go: its socket would wait for a program that is gone. */
export async function uninstallFromHost(host: HostRoot, openRestart?: OpenRestart): Promise<UninstallResult> {
  const systemd = hasHostBroker(host) ? await systemdOf(host) : undefined;
  const beforeChanges = async (): Promise<void> => {
    if (systemd !== undefined) await stopHostBroker(systemd);
  };
  try {
    const result = await doWork(host, () => ({ ...uninstallWork(host), beforeChanges }), openRestart);
    await systemd?.reload();
    return result;
  } catch (error) {
    // The old files are back.
    if (systemd !== undefined && hasHostBroker(host)) await startHostBroker(systemd, []);
    throw error;
  } finally {
    systemd?.close();
  }
}

async function doWork<Result extends object>(
  host: HostRoot,
  plan: () => HostWork<Result>,
  openRestart: OpenRestart,
): Promise<Result> {
  if (openRestart === undefined) {
    refuseDuringRestart(host);
    const work = plan();
    await work.beforeChanges?.();
    work.apply();
    return work.result;
  }
  let tools: OpenTools | undefined;
  try {
    const { result, service } = await restartWith(host, plan, async () => (tools = await openRestart(host)));
    if (service === undefined) return result;
    // It refuses a kubelet that has started without the new flags.
    plan();
    return { ...result, restart: undefined, restarted: service };
  } finally {
    tools?.close();
  }
}

/** The host would restore the old files after this, or not restore them. */
function refuseDuringRestart(host: HostRoot): void {
  const phase = readPhase(host);
  if (phase === undefined || phase === 'waiting') return;
  throw new Failure('misconfigured', 'a restart of the kubelet has not come to its end on this host', {
    remedy: 'wait for it; if it was killed, run this with --restart-kubelet',
  });
}

/** `undefined`: systemd does not run, as in the root of a machine image. */
async function systemdOf(host: HostRoot): Promise<Systemd | undefined> {
  return host.isFolder('/run/systemd/system') ? connectToSystemd(host) : undefined;
}
