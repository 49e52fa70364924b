/** A server in Nova. Tests change its state. */
export interface LabServer {
  readonly id: string;
  readonly projectId: string;
  readonly name: string;
  readonly status: string;
  readonly flavor: string;
  readonly zone: string;
  readonly accessIPv4?: string;
  readonly accessIPv6?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** As Nova's cache has them, by the name of the network. */
  readonly addresses: Readonly<Record<string, readonly LabAddress[]>>;
}

export interface LabAddress {
  readonly address: string;
  readonly type: 'fixed' | 'floating';
}

export interface LabPort {
  readonly id: string;
  readonly projectId: string;
  /** Of the server, or of a trunk. */
  readonly deviceId: string;
  readonly networkId: string;
  readonly status: 'ACTIVE' | 'DOWN' | 'BUILD';
  readonly addresses: readonly string[];
  /** Ids of the sub-ports, if it is a trunk's parent. */
  readonly subPorts?: readonly string[];
  /** Absent: none. */
  readonly allowedPairs?: readonly LabAddressPair[];
  readonly portSecurity?: boolean;
  readonly revision?: number;
}

export interface LabAddressPair {
  readonly ip_address: string;
  readonly mac_address: string;
}

/** Its interfaces are the ports whose `deviceId` is the router's id. */
export interface LabRouter {
  readonly projectId: string;
  readonly routes: readonly { readonly destination: string; readonly nexthop: string }[];
}

export interface LabNetwork {
  readonly name: string;
}

export interface ServerFleet {
  readonly count: number;
  readonly projectId: string;
  /** Tells the ids, names and addresses of two fleets apart; 0 to 99. */
  readonly number: number;
}

export interface FleetState {
  readonly servers: Record<string, LabServer>;
  readonly ports: Record<string, LabPort>;
  readonly networks: Record<string, LabNetwork>;
}

const fleetNetwork = 'a0000000-0000-4000-8000-000000000001';

/** That many active servers with one port each, the same for the same wishes. */
export function serverFleetOf({ count, projectId, number }: ServerFleet): FleetState {
  const servers = Array.from({ length: count }, (_each, index) => serverAt(index, projectId, number));
  return {
    servers: Object.fromEntries(servers.map((server) => [server.id, server])),
    ports: Object.fromEntries(servers.map((server) => portOf(server)).map((port) => [port.id, port])),
    networks: { [fleetNetwork]: { name: 'nodes' } },
  };
}

function serverAt(index: number, projectId: string, number: number): LabServer {
  const address = `10.${String(number)}.${String(index >> 8)}.${String(index & 255)}`;
  return {
    id: uuid('b', number * 1_000_000 + index),
    projectId,
    name: `node-${String(number * 1_000_000 + index)}`,
    status: 'ACTIVE',
    flavor: 'm1.large',
    zone: 'nova',
    addresses: { nodes: [{ address, type: 'fixed' }] },
  };
}

/** The port of a server with addresses in one network. */
export function portOf({ id, projectId, addresses }: LabServer): LabPort {
  const fixed = Object.values(addresses).flatMap((each) => each.filter(({ type }) => type === 'fixed'));
  return {
    id: `c${id.slice(1)}`,
    projectId,
    deviceId: id,
    networkId: fleetNetwork,
    status: 'ACTIVE',
    addresses: fixed.map(({ address }) => address),
  };
}

function uuid(first: string, number: number): string {
  return `${first}0000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
