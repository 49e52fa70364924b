import { closeSync, fsyncSync, lstatSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { HostRoot } from './host-root.ts';

/** Puts a file or link at a path in one step. */
export function putFile(host: HostRoot, path: string, create: (unfinished: string) => void): void {
  const file = host.locate(path);
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  // Without an extension that the kubelet would read in a configuration directory.
  const unfinished = `${file}.polycloud-unfinished`;
  rmSync(unfinished, { force: true });
  try {
    create(unfinished);
    if (!lstatSync(unfinished).isSymbolicLink()) syncToDisk(unfinished);
    renameSync(unfinished, file);
  } catch (error) {
    // Half a program would leave a full disk full, and the kubelet would evict pods.
    rmSync(unfinished, { force: true });
    throw error;
  }
  syncToDisk(folder);
}

export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
