import { readFileSync } from 'node:fs';
import { makeImage } from './oci-image.ts';
import type { Image } from './oci-image.ts';
import type { TarEntry } from './tar.ts';

/** Of the Debian package busybox-static: it needs nothing else. */
const busyboxFile = '/bin/busybox';

/** Runs until it gets a signal. */
export function sleepingImage(name: string): Image {
  return busyboxImage({ name, command: ['/bin/sh', '-c', 'trap exit TERM; while :; do sleep 86400 & wait; done'] });
}

interface BusyboxImageOptions {
  /** Two with different names share no layer, so that a pull of each is a whole pull. */
  readonly name: string;
  readonly command: readonly string[];
}

/** The smallest image that something can be tried in. */
function busyboxImage({ name, command }: BusyboxImageOptions): Image {
  const busybox: TarEntry = { path: 'bin/busybox', kind: 'file', content: readFileSync(busyboxFile), mode: 0o755 };
  const links = applets.map((applet): TarEntry => ({ path: `bin/${applet}`, kind: 'link', target: 'busybox' }));
  const directories = ['bin', 'tmp'].map((path): TarEntry => ({ path, kind: 'directory', mode: 0o755 }));
  const label: TarEntry = { path: 'image-name', kind: 'file', content: Buffer.from(name), mode: 0o644 };
  return makeImage({ entries: [...directories, label, busybox, ...links], command });
}

const applets = ['cat', 'echo', 'env', 'hostname', 'ls', 'nc', 'sh', 'sleep', 'wget'];
