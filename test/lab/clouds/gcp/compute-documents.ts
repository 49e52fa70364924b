import type { compute_v1 } from '@googleapis/compute';
import type { ComputeInstance, ComputeInterface } from './compute-instance.ts';

const base = 'https://www.googleapis.com/compute/v1';

/**
 * An instance as `instances.get` shows it. https://cloud.google.com/compute/docs/reference/rest/v1/instances#Instance
 * The types are those of Google's client, so a field that the API does not have is an error of the compiler.
 */
export function instanceDocument(instance: ComputeInstance): compute_v1.Schema$Instance {
  const { project, zone, name, id, machineType, status, interfaces } = instance;
  const inZone = `${base}/projects/${project}/zones/${zone}`;
  return {
    kind: 'compute#instance',
    id,
    creationTimestamp: '2026-11-18T04:00:00.000-08:00',
    name,
    tags: { fingerprint: '42WmSpB8rSM=' },
    machineType: `${inZone}/machineTypes/${machineType}`,
    status,
    zone: inZone,
    canIpForward: false,
    networkInterfaces: interfaces.map((each, index) => interfaceDocument(each, index, project)),
    metadata: { kind: 'compute#metadata', fingerprint: 'v8bZoQ9LZZ0=', items: [] },
    selfLink: `${inZone}/instances/${name}`,
    scheduling: { onHostMaintenance: 'MIGRATE', automaticRestart: true, preemptible: false },
    cpuPlatform: status === 'RUNNING' ? 'Intel Broadwell' : 'Unknown CPU Platform',
    labelFingerprint: '42WmSpB8rSM=',
    startRestricted: false,
    deletionProtection: false,
    fingerprint: 'VZWHuGvVgXc=',
  };
}

function interfaceDocument(
  { ip, externalIp, ipv6, externalIpv6, aliasRanges }: ComputeInterface,
  index: number,
  project: string,
): compute_v1.Schema$NetworkInterface {
  const accessConfig = { kind: 'compute#accessConfig', type: 'ONE_TO_ONE_NAT', name: 'External NAT' };
  const ipv6AccessConfig = { kind: 'compute#accessConfig', type: 'DIRECT_IPV6', name: 'external-ipv6' };
  return {
    kind: 'compute#networkInterface',
    network: `${base}/projects/${project}/global/networks/default`,
    name: `nic${String(index)}`,
    ...(ip !== undefined && { networkIP: ip }),
    // An access configuration has no address while the instance is stopped.
    ...(externalIp !== undefined && { accessConfigs: [{ ...accessConfig, ...(externalIp && { natIP: externalIp }) }] }),
    ...(ipv6 !== undefined && { ipv6Address: ipv6, ipv6AccessType: 'INTERNAL', internalIpv6PrefixLength: 96 }),
    ...(externalIpv6 !== undefined && {
      ipv6AccessType: 'EXTERNAL',
      ipv6AccessConfigs: [{ ...ipv6AccessConfig, externalIpv6, externalIpv6PrefixLength: 96 }],
    }),
    ...(aliasRanges && { aliasIpRanges: aliasRanges.map((ipCidrRange) => ({ ipCidrRange })) }),
    stackType: ipv6 === undefined && externalIpv6 === undefined ? 'IPV4_ONLY' : 'IPV4_IPV6',
    fingerprint: 'q1fSbbqYBNo=',
  };
}
