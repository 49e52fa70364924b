import { dirname } from 'node:path';
import { brokerSocket, hostSocketName } from '../../schemas/broker.ts';

export const brokerSocketUnit = 'polycloud-broker.socket';
export const brokerServiceUnit = 'polycloud-broker.service';

/** The texts of the units that run the broker on a host, by their names. `program` is the path of the agent there. Pure. */
export function brokerUnits(program: string): Readonly<Record<string, string>> {
  return { [brokerSocketUnit]: socketUnit, [brokerServiceUnit]: serviceUnit(program) };
}

const directory = dirname(brokerSocket);
const hostSocket = `${directory}/${hostSocketName}`;

/**
 * Front ends trust only a socket of root in a directory that only root can enter. They connect to a hard link, which the
 * agent's broker leaves alone while this socket listens.
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.socket.html
 */
const socketUnit = `[Unit]
Description=Socket for registry logins of polycloud

[Socket]
ListenStream=${hostSocket}
FileDescriptorName=polycloud-broker
SocketMode=0600
DirectoryMode=0700
Backlog=1024
ExecStartPost=/bin/ln -f ${hostSocket} ${brokerSocket}
ExecStopPre=-/bin/sh -c '[ ! ${brokerSocket} -ef ${hostSocket} ] || rm -f ${brokerSocket}'
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
`;

/** The kubelet's services of all distributions, so that the broker is there before their first pull. */
const kubeletServices = [
  'kubelet.service',
  'k3s.service',
  'k3s-agent.service',
  'rke2-server.service',
  'rke2-agent.service',
  'snap.microk8s.daemon-kubelite.service',
];

/**
 * Root without capabilities: the configuration may name files that only root can read, and hosts often let only root reach
 * the metadata service. It has no MemoryDenyWriteExecute, since V8 compiles at run time.
 *
 * Without a limit of its own for restarts: after five starts in ten seconds systemd gives up, and closes the socket, so
 * that the full program answers at once.
 * https://www.freedesktop.org/software/systemd/man/latest/systemd.exec.html
 */
function serviceUnit(program: string): string {
  const isInHome = ['/home/', '/root/'].some((folder) => program.startsWith(folder));
  return `[Unit]
Description=Registry logins of polycloud
Requires=${brokerSocketUnit}
After=${brokerSocketUnit} network.target
Before=${kubeletServices.join(' ')}

[Service]
Type=exec
ExecStart=${program} broker
Restart=always
UMask=0077
LimitCORE=0
MemoryMax=256M
TasksMax=64
CapabilityBoundingSet=
NoNewPrivileges=yes
ProtectSystem=strict
ReadWritePaths=${directory}
ProtectHome=${isInHome ? 'read-only' : 'yes'}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
KeyringMode=private
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallFilter=~@privileged @resources
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}
