import { lstatSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { Failure } from '../../lib/failure.ts';

/**
 * The file system of the host, as a pod sees it below a mount. Paths are those of the host: a link on the host to `/etc/x`
 * leads to the host's `/etc/x`, never to the pod's.
 */
export interface HostRoot {
  /** Where a path of the host is for this process. The links of its folders are followed, a link at its end is not. */
  locate(path: string): string;
  /** The same with a link at its end followed too. */
  resolve(path: string): string;
  /** Without following a link at its end. */
  kindOf(path: string): FileKind;
  /** Follows links. */
  isFolder(path: string): boolean;
  /** `undefined`: there is no such file. Follows links. */
  readText(path: string): string | undefined;
  /** When a file was written; `undefined`: there is no such file. Follows links. */
  writtenAtMs(path: string): number | undefined;
  /** The names in a folder, sorted; empty if there is no such folder. Follows links. */
  list(path: string): readonly string[];
}

export type FileKind = 'absent' | 'file' | 'folder' | 'link' | 'other';

export function openHostRoot(root: string): HostRoot {
  if (kindOfFile(root) !== 'folder') {
    throw new Failure('misconfigured', `--host-root ${root} is not a folder`, { remedy: 'mount / of the host there' });
  }
  const locate = (path: string): string => join(root, followLinks(root, path, 'folders'));
  const follow = (path: string): string => join(root, followLinks(root, path, 'all'));
  return {
    locate,
    resolve: follow,
    kindOf: (path) => kindOfFile(locate(path)),
    isFolder: (path) => kindOfFile(follow(path)) === 'folder',
    readText: (path) => ifPresent(() => readFileSync(follow(path), 'utf8')),
    writtenAtMs: (path) => ifPresent(() => lstatSync(follow(path)).mtimeMs),
    list: (path) => (ifPresent(() => readdirSync(follow(path))) ?? []).toSorted(),
  };
}

/** As in Linux. */
const maxLinks = 40;

/** A path without links, relative to the root. Parts that do not exist stay as they are. */
function followLinks(root: string, path: string, which: 'folders' | 'all'): string {
  let remaining = partsOf(path);
  let followed: readonly string[] = [];
  let links = 0;
  while (remaining.length > 0) {
    const [part = '', ...rest] = remaining;
    const here = [...followed, part];
    remaining = rest;
    if (part === '..') {
      followed = followed.slice(0, -1);
      continue;
    }
    const isLink = kindOfFile(join(root, ...here)) === 'link' && (which === 'all' || rest.length > 0);
    if (!isLink) {
      followed = here;
      continue;
    }
    links += 1;
    if (links > maxLinks) {
      throw new Failure('misconfigured', `${path} of the host has too many links`, { remedy: 'correct them' });
    }
    const target = readlinkSync(join(root, ...here));
    remaining = [...partsOf(target), ...rest];
    if (target.startsWith('/')) followed = [];
  }
  return followed.join('/');
}

function partsOf(path: string): readonly string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

function kindOfFile(file: string): FileKind {
  const stats = ifPresent(() => lstatSync(file));
  if (stats === undefined) return 'absent';
  if (stats.isSymbolicLink()) return 'link';
  if (stats.isDirectory()) return 'folder';
  return stats.isFile() ? 'file' : 'other';
}

/**
 * `undefined`: there is no such file, or the process that it describes has ended. Any other failure is thrown: "absent" is
 * not "could not be read".
 */
function ifPresent<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'ESRCH'].includes(code)) return undefined;
    throw error;
  }
}

/** An error of the file system as a failure with a hint; other errors stay as they are. */
export function asHostFailure(cause: unknown): unknown {
  const { code, path, dest } = cause as NodeJS.ErrnoException & { readonly dest?: string };
  if (cause instanceof Failure || code === undefined) return cause;
  // Where it is written to: what is copied there can be read.
  return new Failure('misconfigured', `${dest ?? path ?? 'a file of the host'} cannot be read or written (${code})`, {
    remedy: remedies.get(code) ?? 'correct that; a second run goes on from here',
    cause,
  });
}

const remedies: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'start it as root'],
  ['EPERM', 'start it as root'],
  ['EROFS', 'make that file system of the host writable; a second run goes on from here'],
  ['ENOSPC', 'free space on that file system of the host; a second run goes on from here'],
  ['EDQUOT', 'free space on that file system of the host; a second run goes on from here'],
]);

/**
 * Why programs cannot be put at a path of this process or started there; `undefined`: they can. `mountInfo` is the text of
 * /proc/self/mountinfo. Pure. https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html
 */
export function mountObstacle(path: string, mountInfo: string): 'read-only' | 'noexec' | undefined {
  const mounts = mountInfo.split('\n').flatMap((line) => {
    const [, , , , point, options = ''] = line.split(' ');
    return point === undefined ? [] : [{ point: unescape(point), options: options.split(',') }];
  });
  const target = normalize(path);
  // The last one hides earlier ones at the same place.
  const holding = mounts.filter(({ point }) => point === '/' || target === point || target.startsWith(`${point}/`));
  const options = holding.toSorted((a, b) => a.point.length - b.point.length).at(-1)?.options ?? [];
  if (options.includes('ro')) return 'read-only';
  return options.includes('noexec') ? 'noexec' : undefined;
}

/** Spaces and tabs are octal escapes there. */
function unescape(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));
}
