import { isIPv4 } from 'node:net';

const shortestLongLength = 0x80;

/** The few DER types (X.690) of a certificate. */
export const der = {
  sequence: (...parts: readonly Buffer[]): Buffer => tagged(0x30, ...parts),
  set: (...parts: readonly Buffer[]): Buffer => tagged(0x31, ...parts),
  /** In the shortest form; the first bit is the sign. */
  integer: (bytes: Buffer): Buffer => tagged(0x02, bytes),
  booleanTrue: tagged(0x01, Buffer.of(0xff)),
  objectId: (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex')),
  text: (value: string): Buffer => tagged(0x0c, Buffer.from(value)),
  bits: (bytes: Buffer, unusedBits: number): Buffer => tagged(0x03, Buffer.of(unusedBits), bytes),
  octets: (bytes: Buffer): Buffer => tagged(0x04, bytes),
  time,
  /** Context-specific: `[0]` and so on, with parts inside. */
  explicit: (number: number, ...parts: readonly Buffer[]): Buffer => tagged(0xa0 + number, ...parts),
  dnsName: (name: string): Buffer => tagged(0x82, Buffer.from(name, 'ascii')),
  ipAddress: (address: string): Buffer => tagged(0x87, isIPv4(address) ? ipv4Bytes(address) : ipv6Bytes(address)),
} as const;

function tagged(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.of(tag), lengthBytes(content.length), content]);
}

function lengthBytes(length: number): Buffer {
  if (length < shortestLongLength) return Buffer.of(length);
  const digits = Buffer.from(length.toString(16).padStart(length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.of(shortestLongLength + digits.length), digits]);
}

/** To the second, with two digits of the year until 2049, as in RFC 5280. */
function time(wallMs: number): Buffer {
  const text = `${new Date(wallMs).toISOString().replaceAll(/[-:T]|\.\d+Z/g, '')}Z`;
  return text < '2050' ? tagged(0x17, Buffer.from(text.slice(2))) : tagged(0x18, Buffer.from(text));
}

function ipv4Bytes(address: string): Buffer {
  return Buffer.from(address.split('.').map(Number));
}

/** Without a zone and without dotted decimals. */
function ipv6Bytes(address: string): Buffer {
  const [head = '', tail] = address.split('::');
  const before = groups(head);
  const after = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function groups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}
