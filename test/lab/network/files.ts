import { execFile } from 'node:child_process';
import { appendFile, copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

export interface NamespaceFiles {
  /** Host name → addresses. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  /** PEM file of a certificate authority that everything inside trusts, besides those of the machine. */
  readonly trust: string;
}

/** What `ip netns exec` mounts over /etc: each entry of the directory over the file or folder of the same name. */
export async function writeNamespaceFiles(directory: string, { hosts, trust }: NamespaceFiles): Promise<void> {
  await mkdir(directory, { recursive: true });
  await Promise.all([
    writeFile(join(directory, 'hosts'), hostsFile(hosts)),
    // A resolver that is not there: names that are not in the hosts file fail at once.
    writeFile(join(directory, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:1 attempts:1\n'),
    writeTrust(join(directory, 'ssl'), trust),
  ]);
}

function hostsFile(hosts: NamespaceFiles['hosts']): string {
  const lines = Object.entries(hosts).flatMap(([name, addresses]) => addresses.map((address) => `${address} ${name}`));
  return ['127.0.0.1 localhost', '::1 localhost', ...lines, ''].join('\n');
}

const machineStore = '/etc/ssl/certs';

/** The machine's store and the lab's authority, for readers of the one bundle and for readers of the hashed folder. */
async function writeTrust(directory: string, authorityFile: string): Promise<void> {
  const certificates = join(directory, 'certs');
  await mkdir(certificates, { recursive: true });
  if (existsSync(machineStore)) await cp(machineStore, certificates, { recursive: true, verbatimSymlinks: true });
  if (existsSync('/etc/ssl/openssl.cnf')) await copyFile('/etc/ssl/openssl.cnf', join(directory, 'openssl.cnf'));
  await appendFile(join(certificates, 'ca-certificates.crt'), await readFile(authorityFile));
  await copyFile(authorityFile, join(certificates, `${await subjectHash(authorityFile)}.0`));
}

const runProgram = promisify(execFile);

/** The file name by which OpenSSL looks an authority up. */
async function subjectHash(certificateFile: string): Promise<string> {
  const { stdout } = await runProgram('openssl', ['x509', '-hash', '-noout', '-in', certificateFile]);
  return stdout.trim();
}
