import { isIP } from 'node:net';
import type { NodeAddress } from '../../schemas/kubernetes.ts';

export type AddressPlan =
  | { readonly kind: 'addresses'; readonly addresses: readonly NodeAddress[] }
  /** The kubelet's --node-ip is not an address of the instance. */
  | { readonly kind: 'not-found'; readonly nodeIp: string };

export interface AddressSources {
  /** From the cloud, in its order. */
  readonly instance: readonly NodeAddress[];
  /** Those that the Node has now. */
  readonly node: readonly NodeAddress[];
  /** The kubelet's --node-ip; empty: none was given. */
  readonly providedNodeIps: readonly string[];
  /** The instance's external addresses could not be read: those of the Node stay as they are. */
  readonly keepsExternal?: boolean;
}

/** The addresses a Node should have. If the cloud reports none, they stay. The kubelet's Hostname is kept. */
export function planAddresses(sources: AddressSources): AddressPlan {
  const { instance, node, keepsExternal } = sources;
  if (instance.length === 0) return { kind: 'addresses', addresses: node };
  if (keepsExternal !== true) return planFrom(instance, sources);
  const planned = planFrom([...instance.filter(isInternal), ...node.filter((each) => !isInternal(each))], sources);
  if (planned.kind === 'not-found') return planned;
  const isUnchanged = sameAddresses(planned.addresses.filter(isInternal), node.filter(isInternal));
  return isUnchanged ? { kind: 'addresses', addresses: node } : planned;
}

function planFrom(instance: readonly NodeAddress[], { node, providedNodeIps }: AddressSources): AddressPlan {
  const known = instance.some(({ type }) => type === 'Hostname') ? instance : [...instance, ...hostnamesOf(node)];
  const missing = providedNodeIps.find((nodeIp) => !known.some(({ address }) => sameAddress(address, nodeIp)));
  if (missing !== undefined) return { kind: 'not-found', nodeIp: missing };
  return { kind: 'addresses', addresses: withoutDuplicates(preferredFirst(known, providedNodeIps)) };
}

function isInternal({ type }: NodeAddress): boolean {
  return type !== 'ExternalIP' && type !== 'ExternalDNS';
}

function hostnamesOf(node: readonly NodeAddress[]): readonly NodeAddress[] {
  return node.filter(({ type }) => type === 'Hostname');
}

/** The --node-ip addresses come first, in the kubelet's order. Other addresses of their types are left out. */
function preferredFirst(known: readonly NodeAddress[], nodeIps: readonly string[]): readonly NodeAddress[] {
  const preferred = nodeIps.flatMap((nodeIp) => known.filter(({ address }) => sameAddress(address, nodeIp)));
  const preferredTypes = new Set(preferred.map(({ type }) => type));
  return [...preferred, ...known.filter(({ type }) => !preferredTypes.has(type))];
}

/** One IPv6 address has many spellings. */
export function sameAddress(a: string, b: string): boolean {
  return a === b || (isIP(a) === 6 && isIP(b) === 6 && canonical(a) === canonical(b));
}

function canonical(address: string): string {
  return new URL(`http://[${address}]`).hostname;
}

function withoutDuplicates(addresses: readonly NodeAddress[]): readonly NodeAddress[] {
  const seen = new Set<string>();
  return addresses.filter(({ type, address }) => {
    const key = `${type} ${address}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The order counts: clients use the first address of a type. */
export function sameAddresses(a: readonly NodeAddress[], b: readonly NodeAddress[]): boolean {
  return a.length === b.length && a.every(({ type, address }, at) => b[at]?.type === type && b[at].address === address);
}
