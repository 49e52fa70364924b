import { hasHostBroker, startHostBroker, stopHostBroker } from './host-broker.ts';
import type { HostRoot } from './host-root.ts';
import { install, uninstall } from './install.ts';
import type { InstallRequest, InstallResult, UninstallResult } from './install.ts';
import { connectToSystemd } from './systemd/systemd.ts';
import type { Systemd } from './systemd/systemd.ts';

/** Installs, and starts the broker of the host if it is wanted. systemd has to be in reach before anything is written. */
export async function installOnHost(request: InstallRequest): Promise<InstallResult> {
  const { host, sources, isDryRun } = request;
  if (sources.agent === undefined || isDryRun) return install(request);
  const systemd = await systemdOf(host);
  try {
    const result = install(request);
    if (result.kind === 'printed') return result;
    if (systemd === undefined) return { ...result, hostBroker: 'next-boot' };
    await startHostBroker(systemd, result.changed);
    return { ...result, hostBroker: 'running' };
  } finally {
    systemd?.close();
  }
}

/** Stops the broker of the host first: its socket would wait for a program that is gone. */
export async function uninstallFromHost(host: HostRoot): Promise<UninstallResult> {
  const systemd = hasHostBroker(host) ? await systemdOf(host) : undefined;
  try {
    if (systemd !== undefined) await stopHostBroker(systemd);
    const result = uninstall(host);
    await systemd?.reload();
    return result;
  } finally {
    systemd?.close();
  }
}

/** `undefined`: systemd does not run, as in the root of a machine image. */
async function systemdOf(host: HostRoot): Promise<Systemd | undefined> {
  return host.isFolder('/run/systemd/system') ? connectToSystemd(host) : undefined;
}
