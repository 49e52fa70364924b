import { Failure } from '../../lib/failure.ts';
import { brokerServiceUnit, brokerSocketUnit, brokerUnits } from './broker-units.ts';
import type { FileChange } from './file-change.ts';
import type { HostRoot } from './host-root.ts';
import { readRecord } from './install-record.ts';
import type { Systemd } from './systemd/systemd.ts';

const unitFolder = '/etc/systemd/system';
const unitPaths = [brokerSocketUnit, brokerServiceUnit].map((name) => `${unitFolder}/${name}`);
/** The links that enable the units, as `systemctl enable` makes them by their [Install] sections. */
const links = [
  `${unitFolder}/sockets.target.wants/${brokerSocketUnit}`,
  `${unitFolder}/multi-user.target.wants/${brokerServiceUnit}`,
];

/** The executable that runs the broker, next to the credential provider, and its units, enabled. Pure. */
export function hostBrokerChanges(folder: string, agent: string): readonly FileChange[] {
  const program = `${folder}/polycloud-node-agent`;
  return [
    { kind: 'copy', path: program, source: agent, mode: 0o755 },
    ...Object.entries(brokerUnits(program)).map(([name, text]): FileChange => ({
      kind: 'text',
      path: `${unitFolder}/${name}`,
      text,
      mode: 0o644,
    })),
    ...links.map((path): FileChange => ({ kind: 'link', path, target: `../${path.split('/').at(-1) ?? ''}` })),
  ];
}

/** The kubelet does not read these. */
export function isOfHostBroker(path: string): boolean {
  return [...unitPaths, ...links].includes(path);
}

export function refuseWithoutSystemd(host: HostRoot): void {
  if (['/usr/lib/systemd/systemd', '/lib/systemd/systemd'].some((path) => host.kindOf(path) !== 'absent')) return;
  throw new Failure('misconfigured', 'the broker on the host needs systemd, which the host does not have', {
    remedy: 'leave out --host-broker: the agent serves the logins',
  });
}

/** Whether an installation has put it on the host. */
export function hasHostBroker(host: HostRoot): boolean {
  return readRecord(host).some(({ path }) => unitPaths.includes(path));
}

/** Starts what was installed, or what changed anew. Requests wait at the socket while only the service restarts. */
export async function startHostBroker(systemd: Systemd, changed: readonly string[]): Promise<void> {
  const isChanged = changed.some((path) => isOfHostBroker(path) || path.endsWith('/polycloud-node-agent'));
  if (!isChanged && (await isActive(systemd, brokerSocketUnit)) && (await isActive(systemd, brokerServiceUnit))) return;
  await systemd.reload();
  if (changed.includes(`${unitFolder}/${brokerSocketUnit}`)) await stopHostBroker(systemd);
  await systemd.startUnit(brokerSocketUnit);
  await systemd.restartUnit(brokerServiceUnit);
}

async function isActive(systemd: Systemd, unit: string): Promise<boolean> {
  return (await systemd.unitState(unit))?.active === 'active';
}

/** The socket first: otherwise a request would start the service again. */
export async function stopHostBroker(systemd: Systemd): Promise<void> {
  for (const unit of [brokerSocketUnit, brokerServiceUnit]) {
    if ((await systemd.unitState(unit)) !== undefined) await systemd.stopUnit(unit);
  }
}
