import type { ComputeInstance } from './compute-instance.ts';
import type { GcpState } from './state.ts';

/** What the instance's own metadata server has of it. */
export function metadataStateOf({ project, zone, name, id, machineType, interfaces }: ComputeInstance): MetadataState {
  return {
    projectId: project,
    instance: {
      id,
      name,
      hostname: `${name}.${zone}.c.${project}.internal`,
      zone,
      machineType,
      interfaces: interfaces.map(({ ip = '', externalIp, ipv6, externalIpv6, aliasRanges }) => ({
        ip,
        ...(externalIp !== undefined && { externalIp }),
        ipv6s: [ipv6, externalIpv6].filter((address) => address !== undefined),
        aliasRanges: aliasRanges ?? [],
      })),
    },
  };
}

interface MetadataState {
  readonly projectId: string;
  readonly instance: Omit<GcpState['instance'], 'serviceAccounts' | 'scopes'>;
}
