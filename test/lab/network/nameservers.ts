import { createSocket } from 'node:dgram';
import type { RemoteInfo } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';

/**
 * Two nameservers, to be run inside a namespace: one takes queries and never answers, the other answers those for addresses.
 * Says `listening`, and ends with its standard input.
 */
export interface NameserverOptions {
  readonly silent: string;
  readonly answering: string;
  readonly hosts: Readonly<Record<string, readonly string[]>>;
}

const { silent, answering, hosts } = JSON.parse(process.argv[2] ?? '{}') as NameserverOptions;
const types = { ipv4: 1, ipv6: 28 };
const headerBytes = 12;

const sockets = [createSocket('udp4'), createSocket('udp4')] as const;
const [deaf, speaking] = sockets;
speaking.on('message', (query: Buffer, from: RemoteInfo) => speaking.send(answerTo(query), from.port, from.address));
deaf.bind(53, silent);
speaking.bind(53, answering);
await Promise.all(sockets.map((socket) => once(socket, 'listening')));
process.stdout.write('listening\n');
process.stdin.resume();
await once(process.stdin, 'end');
for (const socket of sockets) socket.close();

/** RFC 1035, section 4.1: the question again, and behind it what the host has of this type. */
function answerTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = headerBytes;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const question = query.subarray(headerBytes, at + 5);
  const addresses = hosts[labels.join('.').toLowerCase()];
  const records = (addresses ?? []).filter((each) => type === (isIPv4(each) ? types.ipv4 : types.ipv6)).map(record);
  const header = Buffer.alloc(headerBytes);
  header.set(query.subarray(0, 2));
  // A recursive answer; NXDOMAIN for an unknown name.
  header.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records]);
}

function record(address: string): Buffer {
  const data = isIPv4(address) ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  // The name is the question's.
  head.writeUInt16BE(0xc000 + headerBytes, 0);
  head.writeUInt16BE(isIPv4(address) ? types.ipv4 : types.ipv6, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function ipv6Bytes(address: string): Buffer {
  const [before = [], after = []] = address.split('::').map((part) => part.split(':').filter((each) => each !== ''));
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  const groups = [...before, ...zeros, ...after].map((each) => Number.parseInt(each, 16));
  return Buffer.from(groups.flatMap((group) => [group >> 8, group & 255]));
}
