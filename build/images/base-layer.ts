import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Architecture } from '../architecture.ts';
import { readDynamicDependencies } from './elf.ts';
import { firstExisting } from './debian-files.ts';
import type { DebianFiles } from './debian-files.ts';
import type { ArchiveEntry } from './tar.ts';

/** Nobody in particular, as images without a shell usually have it. */
export const imageUser = { name: 'nonroot', id: 65_532 };

/** Where each architecture's executables look for their loader, which is written down in them, and for their libraries. */
const libraryPaths: Readonly<Record<Architecture, { readonly loader: string; readonly libraries: string }>> = {
  x64: { loader: 'lib64/ld-linux-x86-64.so.2', libraries: 'lib/x86_64-linux-gnu' },
  arm64: { loader: 'lib/ld-linux-aarch64.so.1', libraries: 'lib/aarch64-linux-gnu' },
};

/** Everything but the executable, the same under each of them. */
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

/** With those that libraries need themselves. */
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

/** As the package would put them together when it is installed. */
async function caCertificates({ root }: DebianFiles): Promise<ArchiveEntry> {
  const directory = join(root, 'usr/share/ca-certificates/mozilla');
  const names = (await readdir(directory)).filter((name) => name.endsWith('.crt')).toSorted();
  const certificates = await Promise.all(names.map((name) => readFile(join(directory, name), 'utf8')));
  const content = Buffer.from(certificates.map((text) => `${text.trim()}\n`).join(''));
  return { path: 'etc/ssl/certs/ca-certificates.crt', kind: 'file', content, mode: 0o644 };
}

/** They have to go with what they are about. */
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
  // Without it the C library asks in an order of its own.
  textEntry('etc/nsswitch.conf', 'hosts: files dns\n'),
];

function textEntry(path: string, text: string): ArchiveEntry {
  return { path, kind: 'file', content: Buffer.from(text), mode: 0o644 };
}
