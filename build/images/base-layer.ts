import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { readDynamicDependencies } from './elf.ts';
import { firstExisting } from './debian-files.ts';
import type { DebianFiles } from './debian-files.ts';
import type { ArchiveEntry } from './tar.ts';

/** The unprivileged user that distroless images use. */
export const imageUser = { name: 'nonroot', id: 65_532 };

/** The loader that the executables of each architecture name, and the directory of their libraries. */
const libraryPaths: Readonly<Record<Architecture, { readonly loader: string; readonly libraries: string }>> = {
  x64: { loader: 'lib64/ld-linux-x86-64.so.2', libraries: 'lib/x86_64-linux-gnu' },
  arm64: { loader: 'lib/ld-linux-aarch64.so.1', libraries: 'lib/aarch64-linux-gnu' },
};

/** Everything except the executable: the layer that all images share. */
export async function baseEntries(
  arch: Architecture,
  executables: readonly string[],
  debian: DebianFiles,
): Promise<readonly ArchiveEntry[]> {
  const { loader, libraries } = libraryPaths[arch];
  const find = (name: string): string =>
    firstExisting(debian.root, [`${libraries}/${name}`, `usr/${libraries}/${name}`]);
  const names = await requiredLibraries(executables, find);
  const loaderName = loader.split('/').at(-1) ?? '';
  const files = names.map(async (name): Promise<ArchiveEntry> => {
    const path = name === loaderName ? loader : `${libraries}/${name}`;
    return { path, kind: 'file', content: await readFile(find(name)), mode: 0o755 };
  });
  return [...(await Promise.all(files)), await caCertificates(debian), ...(await licences(debian)), ...accounts];
}

/** Includes the libraries that libraries need. */
async function requiredLibraries(
  executables: readonly string[],
  find: (name: string) => string,
): Promise<readonly string[]> {
  const names = new Set<string>();
  const waiting = [...executables];
  for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
    for (const name of (await readDynamicDependencies(file)).libraries) {
      if (!names.has(name)) waiting.push(find(name));
      names.add(name);
    }
  }
  return [...names].toSorted();
}

/** The bundle that the package would create at installation. */
async function caCertificates({ root }: DebianFiles): Promise<ArchiveEntry> {
  const directory = join(root, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.crt')).toSorted();
  const certificates = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  const content = Buffer.from(certificates.map((text) => `${text.trim()}\n`).join(''));
  return { path: 'etc/ssl/certs/ca-certificates.crt', kind: 'file', content, mode: 0o644 };
}

/** Licences must be distributed with the software. */
async function licences({ root }: DebianFiles): Promise<readonly ArchiveEntry[]> {
  const directory = join(root, 'usr/share/doc');
  const names = (await readdir(directory)).filter((name) => existsSync(join(directory, name, 'copyright')));
  const files = names.map(async (name): Promise<ArchiveEntry> => {
    const path = `usr/share/doc/${name}/copyright`;
    return { path, kind: 'file', content: await readFile(join(root, path)), mode: 0o644 };
  });
  return Promise.all(files);
}

const accounts: readonly ArchiveEntry[] = [
  textEntry('etc/passwd', `root:x:0:0::/:/nowhere\n${imageUser.name}:x:${imageUser.id}:${imageUser.id}::/:/nowhere\n`),
  textEntry('etc/group', `root:x:0:\n${imageUser.name}:x:${imageUser.id}:\n`),
  // Without it the C library uses its own order.
  textEntry('etc/nsswitch.conf', 'hosts: files dns\n'),
  // As Debian has it. Without it a name with two addresses in /etc/hosts, such as one of each family, has only the first.
  textEntry('etc/host.conf', 'multi on\n'),
];

function textEntry(path: string, text: string): ArchiveEntry {
  return { path, kind: 'file', content: Buffer.from(text), mode: 0o644 };
}
