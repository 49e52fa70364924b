import { readFileSync } from 'node:fs';
import type { HostRoot } from './host-root.ts';

/** The lowest version of the C library that the executables run with. */
const lowest = '2.28';
const folders = ['/lib64', '/usr/lib64', '/lib/x86_64-linux-gnu', '/lib/aarch64-linux-gnu', '/lib', '/usr/lib'];
const others = ['libstdc++.so.6', 'libgcc_s.so.1'];

/** Why the executables cannot run on the host; `undefined`: they can. */
export function librariesObstacle(host: HostRoot): string | undefined {
  const libc = find(host, 'libc.so.6');
  if (libc === undefined) {
    const isMusl = host.list('/lib').some((name) => name.startsWith('ld-musl-'));
    return isMusl ? 'it has musl instead of glibc' : 'it has no glibc';
  }
  // The names of all versions that it has are in the file.
  if (!readFileSync(libc).includes(`GLIBC_${lowest}\0`)) return `its glibc is older than ${lowest}`;
  const missing = others.filter((name) => find(host, name) === undefined);
  return missing.length === 0 ? undefined : `it has no ${missing.join(' and no ')}`;
}

function find(host: HostRoot, name: string): string | undefined {
  const path = folders.map((folder) => `${folder}/${name}`).find((each) => host.kindOf(each) !== 'absent');
  return path === undefined ? undefined : host.resolve(path);
}
