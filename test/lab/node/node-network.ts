import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { filesOf } from '../network/names.ts';
import { findIp } from '../network/support.ts';

export interface MachineNetwork {
  readonly hostname: string;
  /** Of its only interface; the first is what its name stands for. */
  readonly addresses: readonly string[];
  /** Where others are, on the loopback interface like the clouds: address → names. */
  readonly others: Readonly<Record<string, readonly string[]>>;
}

/** Makes a namespace with clouds look like a machine's network: an interface, a way to nowhere, and more names. */
export async function configureNetwork(name: string, machine: MachineNetwork): Promise<void> {
  const lines = [...loopback(Object.keys(machine.others)), ...interfaceLines(machine.addresses)];
  const batch = promisify(execFile)(findIp() ?? 'ip', ['-n', name, '-batch', '-']);
  batch.child.stdin?.end([...lines, ''].join('\n'));
  const names = { ...machine.others, [machine.addresses[0] ?? '127.0.1.1']: [machine.hostname] };
  await Promise.all([batch, addHosts(join(filesOf(name), 'hosts'), names)]);
}

/** Address → names. What a name stood for before is forgotten. */
async function addHosts(file: string, added: Readonly<Record<string, readonly string[]>>): Promise<void> {
  const names = new Set(Object.values(added).flat());
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => !names.has(line.split(' ')[1] ?? ''));
  const more = Object.entries(added).flatMap(([address, all]) => all.map((each) => `${address} ${each}`));
  await writeFile(file, [...lines.filter(Boolean), ...more, ''].join('\n'));
}

function loopback(addresses: readonly string[]): readonly string[] {
  return addresses.map((address) => `addr add ${address}/${isIPv6(address) ? '128' : '32'} dev lo`);
}

/** Both ends stay here: there is a carrier, and no machine on the other end. */
function interfaceLines(addresses: readonly string[]): readonly string[] {
  return [
    'link add eth0 type veth peer name nowhere',
    ...addresses.map((address) => `addr add ${address}/${isIPv6(address) ? '64 nodad' : '24'} dev eth0`),
    'link set nowhere up',
    'link set eth0 up',
    'route add default via 169.254.0.1 dev eth0 onlink',
    ...(addresses.some(isIPv6) ? ['-6 route add default via fe80::1 dev eth0 onlink'] : []),
  ];
}
