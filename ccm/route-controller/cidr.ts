import { isIPv4, isIPv6 } from 'node:net';

/** A range of addresses. */
export interface Cidr {
  /** The same text for the same range. */
  readonly text: string;
  readonly family: 'IPv4' | 'IPv6';
  readonly first: bigint;
  readonly last: bigint;
}

/** `undefined`: it is not `ADDRESS/PREFIX`. */
export function parseCidr(text: string): Cidr | undefined {
  const [, address = '', digits = ''] = /^([^/%]+)\/(\d{1,3})$/.exec(text) ?? [];
  const family = isIPv4(address) ? 'IPv4' : 'IPv6';
  const bits = family === 'IPv4' ? 32 : 128;
  const prefix = Number(digits);
  if (prefix > bits || (family === 'IPv6' && !isIPv6(address))) return undefined;
  const number = family === 'IPv4' ? numberOf(address.split('.'), 10, 8n) : numberOf(groupsOf(address), 16, 16n);
  const hostBits = BigInt(bits - prefix);
  const first = (number >> hostBits) << hostBits;
  const last = first + (1n << hostBits) - 1n;
  return { text: `${addressText(first, family)}/${prefix}`, family, first, last };
}

export function contains(outer: Cidr, inner: Cidr): boolean {
  return outer.family === inner.family && outer.first <= inner.first && inner.last <= outer.last;
}

export function overlaps(one: Cidr, other: Cidr): boolean {
  return one.family === other.family && one.first <= other.last && other.first <= one.last;
}

function numberOf(parts: readonly string[], radix: number, partBits: bigint): bigint {
  return parts.reduce((number, part) => (number << partBits) + BigInt(Number.parseInt(part, radix)), 0n);
}

/** The eight groups of an IPv6 address. A URL has it in its normal form, without dots. */
function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = normalIpv6(address).split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const [left, right] = [before ?? [], after ?? []];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}

function addressText(number: bigint, family: Cidr['family']): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => String((number >> shift) & 255n)).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => (number >> BigInt(16 * (7 - index))) & 0xffffn);
  return normalIpv6(groups.map((group) => group.toString(16)).join(':'));
}

function normalIpv6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1);
}
