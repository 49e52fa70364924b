import type { Ec2Instance } from './ec2-instance.ts';

export interface Fleet {
  readonly count: number;
  readonly region: string;
  /** In turn. */
  readonly zoneLetters: readonly string[];
  readonly accountId: string;
  readonly launchedAtMs: number;
  /** Tells the ids and addresses of two fleets apart; 0 to 99. */
  readonly number: number;
}

/** That many running instances with one interface each, the same for the same wishes. */
export function fleetOf(fleet: Fleet): Record<string, Ec2Instance> {
  const instances = Array.from({ length: fleet.count }, (_each, index) => instanceAt(index, fleet));
  return Object.fromEntries(instances.map((instance) => [instance.instanceId, instance]));
}

function instanceAt(index: number, fleet: Fleet): Ec2Instance {
  const { region, zoneLetters, accountId, launchedAtMs, number } = fleet;
  const letter = zoneLetters[index % zoneLetters.length] ?? 'a';
  const privateIp = `10.${number}.${index >> 8}.${index & 255}`;
  const domain = region === 'us-east-1' ? 'ec2.internal' : `${region}.compute.internal`;
  return {
    instanceId: `i-${(number * 1_000_000 + index).toString(16).padStart(17, '0')}`,
    accountId,
    region,
    zone: `${region}${letter}`,
    zoneId: `${region.replaceAll(/([a-z])[a-z]*-?/g, '$1')}-az${(letter.codePointAt(0) ?? 0) - 96}`,
    instanceType: 'm7g.large',
    state: 'running',
    launchedAtMs,
    privateDnsName: `ip-${privateIp.replaceAll('.', '-')}.${domain}`,
    interfaces: [{ deviceIndex: 0, status: 'in-use', privateIps: [privateIp], ipv6: [] }],
    tags: {},
  };
}
