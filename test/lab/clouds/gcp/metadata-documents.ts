import type { GcpState, NetworkInterface } from './state.ts';

/** What can be read below `/computeMetadata/v1/` besides tokens. https://cloud.google.com/compute/docs/metadata/predefined-metadata-keys */
export function documentsOf({ instance, projectId, projectNumber }: GcpState): Readonly<Record<string, string>> {
  const inProject = `projects/${projectNumber}`;
  return {
    'project/project-id': projectId,
    'project/numeric-project-id': projectNumber,
    'universe/universe-domain': 'googleapis.com',
    'instance/id': instance.id,
    'instance/name': instance.name,
    'instance/hostname': instance.hostname,
    'instance/preempted': 'FALSE',
    'instance/maintenance-event': 'NONE',
    'instance/scheduling/automatic-restart': 'TRUE',
    'instance/scheduling/on-host-maintenance': 'MIGRATE',
    'instance/scheduling/preemptible': 'FALSE',
    'instance/zone': `${inProject}/zones/${instance.zone}`,
    'instance/machine-type': `${inProject}/machineTypes/${instance.machineType}`,
    ...Object.fromEntries(
      instance.interfaces.map(({ ip }, index) => [`instance/network-interfaces/${String(index)}/ip`, ip]),
    ),
    ...Object.fromEntries(
      instance.serviceAccounts.flatMap((email, index) => [
        ...accountDocuments(email, email, instance.scopes),
        ...(index === 0 ? accountDocuments('default', email, instance.scopes) : []),
      ]),
    ),
  };
}

function accountDocuments(
  name: string,
  email: string,
  scopes: readonly string[],
): ReadonlyArray<readonly [path: string, text: string]> {
  const folder = `instance/service-accounts/${name}`;
  const aliases = name === 'default' ? 'default' : '';
  return [
    [`${folder}/aliases`, aliases],
    [`${folder}/email`, email],
    [`${folder}/scopes`, scopes.join('\n')],
  ];
}

/** The one folder that is asked for whole here, in the keys that it has then. */
export function foldersOf({ instance }: GcpState): Readonly<Record<string, unknown>> {
  return { 'instance/network-interfaces/': instance.interfaces.map(wholeInterface) };
}

function wholeInterface({ ip, externalIp, ipv6s, aliasRanges }: NetworkInterface, index: number): object {
  return {
    accessConfigs: [{ externalIp: externalIp ?? '', type: 'ONE_TO_ONE_NAT' }],
    dnsServers: ['169.254.169.254'],
    forwardedIps: [],
    gateway: '10.0.0.1',
    ip,
    ipAliases: aliasRanges ?? ['10.8.0.0/24'],
    ...(ipv6s && { ipv6s }),
    mac: `42:01:0a:00:00:${String(10 + index)}`,
    mtu: 1460,
    network: 'projects/123456789012/networks/default',
    subnetmask: '255.255.240.0',
    targetInstanceIps: [],
  };
}
