import { createHash, hash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  openSync,
  readSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../../lib/failure.ts';
import type { ChangedFile, FileChange } from './file-change.ts';
import type { HostRoot } from './host-root.ts';
import { readRecord, recordDirectory, removeRecord, writeRecord } from './install-record.ts';
import { putFile } from './put-file.ts';

/**
 * Makes the changes in their order, each at once or not at all. What was there before is kept and recorded first, so that
 * it can be restored even if this process is killed at any point. Returns the paths that were changed.
 */
export function applyChanges(host: HostRoot, changes: readonly FileChange[]): readonly string[] {
  const due = dueChanges(host, changes);
  const recorded = new Map(readRecord(host).map((file) => [file.path, file]));
  // Others may have made a file what it should be: it is another one than we put there.
  const isNews = (change: FileChange): boolean =>
    due.includes(change) || (recorded.get(change.path)?.after ?? wantedContent(change)) !== wantedContent(change);
  const news = changes.filter(isNews);
  if (news.length === 0) return [];
  for (const change of news) recorded.set(change.path, recordOf(host, change, recorded.get(change.path)));
  writeRecord(host, [...recorded.values()]);
  for (const change of due) applyChange(host, change);
  return due.map(({ path }) => path);
}

/** Those that differ from what is on the host. */
export function dueChanges(host: HostRoot, changes: readonly FileChange[]): readonly FileChange[] {
  return changes.filter((change) => currentContent(host, change.path) !== wantedContent(change));
}

/**
 * What was there before the first change stays recorded; what we put there is the newest. What others have put there since
 * takes the place of what was there before: a newer program of the vendor, or their part of a file that has ours too.
 */
function recordOf(host: HostRoot, change: FileChange, known: ChangedFile | undefined): ChangedFile {
  const { path } = change;
  const after = wantedContent(change);
  if (known === undefined) return { path, before: keepBefore(host, path), after };
  const current = currentContent(host, path);
  if (current !== undefined && isOurs(known, current)) return { path, before: known.before, after, earlier: current };
  const isByOthers = current !== undefined && current !== contentBefore(host, known);
  if (isByOthers && change.kind === 'text') return { path, before: keepText(host, change), after };
  // A program of ours is never a file where we put a link.
  const isTheirProgram = isByOthers && change.kind === 'link' && !current.startsWith('link:');
  if (isTheirProgram) return { path, before: keepBefore(host, path), after };
  return { path, before: known.before, after };
}

function isOurs({ after, earlier }: ChangedFile, content: string | undefined): boolean {
  return content === after || (earlier !== undefined && content === earlier);
}

function keepText(
  host: HostRoot,
  { path, withoutOurs, mode }: Extract<FileChange, { readonly kind: 'text' }>,
): ChangedFile['before'] {
  if (withoutOurs === undefined) return { kind: 'absent' };
  const backup = backupOf(path);
  putFile(host, backup, (unfinished) => writeFileSync(unfinished, withoutOurs, { mode }));
  return { kind: 'file', backup, mode };
}

function backupOf(path: string): string {
  return join(recordDirectory, 'before', path.replaceAll('/', '%2F'));
}

function keepBefore(host: HostRoot, path: string): ChangedFile['before'] {
  const kind = host.kindOf(path);
  if (kind === 'absent') return { kind };
  const file = host.locate(path);
  if (kind === 'link') return { kind, target: readlinkSync(file) };
  if (kind !== 'file') {
    throw new Failure('misconfigured', `${path} is neither a file nor a link`, { remedy: 'move it away' });
  }
  const backup = backupOf(path);
  const { mode } = statSync(file);
  putFile(host, backup, (unfinished) => {
    copyFileSync(file, unfinished);
    chmodSync(unfinished, mode);
  });
  return { kind, backup, mode };
}

function applyChange(host: HostRoot, change: FileChange): void {
  putFile(host, change.path, (unfinished) => {
    if (change.kind === 'link') {
      symlinkSync(change.target, unfinished);
      return;
    }
    if (change.kind === 'copy') copyFileSync(change.source, unfinished);
    else writeFileSync(unfinished, change.text);
    chmodSync(unfinished, change.mode);
  });
}

/** As `ChangedFile.after` has it; `undefined`: neither a file nor a link is there. */
export function currentContent(host: HostRoot, path: string): string | undefined {
  const kind = host.kindOf(path);
  if (kind === 'link') return `link:${readlinkSync(host.locate(path))}`;
  if (kind !== 'file') return undefined;
  const file = host.locate(path);
  return describeFile(hashFile(file), statSync(file).mode);
}

function wantedContent(change: FileChange): string {
  if (change.kind === 'link') return `link:${change.target}`;
  const sha256 = change.kind === 'copy' ? hashFile(change.source) : hash('sha256', change.text);
  return describeFile(sha256, change.mode);
}

function describeFile(sha256: string, mode: number): string {
  return `sha256:${sha256}, mode ${(mode & 0o7777).toString(8)}`;
}

/** In parts: a program has more than 100 MB, which is nearly the memory limit of the init container. */
function hashFile(file: string): string {
  const digest = createHash('sha256');
  const part = Buffer.allocUnsafe(1024 * 1024);
  const descriptor = openSync(file, 'r');
  try {
    for (let length = readSync(descriptor, part); length > 0; length = readSync(descriptor, part)) {
      digest.update(part.subarray(0, length));
    }
  } finally {
    closeSync(descriptor);
  }
  return digest.digest('hex');
}

export interface RestoredFiles {
  readonly restored: readonly string[];
  /** Somebody else has changed them since. */
  readonly left: readonly string[];
}

/** What `restoreFiles` would return; `removed`: those of the restored that are gone after it. */
export function plannedRestore(host: HostRoot): RestoredFiles & { readonly removed: readonly string[] } {
  const files = readRecord(host).toReversed();
  const stateOf = (file: ChangedFile): 'ours' | 'before' | 'others' => {
    const content = currentContent(host, file.path);
    if (isOurs(file, content)) return 'ours';
    return content === contentBefore(host, file) ? 'before' : 'others';
  };
  const states = files.map((file) => ({ ...file, state: stateOf(file) }));
  const ours = states.filter(({ state }) => state === 'ours');
  return {
    restored: ours.map(({ path }) => path),
    removed: ours.filter(({ before }) => before.kind === 'absent').map(({ path }) => path),
    left: states.filter(({ state }) => state === 'others').map(({ path }) => path),
  };
}

/**
 * Restores what was there before the first change, in the opposite order. A file that somebody else has changed since is
 * left as it is. Returns the paths of both kinds.
 */
export function restoreFiles(host: HostRoot): RestoredFiles {
  const restored: string[] = [];
  const left: string[] = [];
  let recorded = readRecord(host);
  for (const file of recorded.toReversed()) {
    const wasOurs = isOurs(file, currentContent(host, file.path));
    if (wasOurs) restoreFile(host, file);
    // A change that was recorded and not made, since the installer was killed, needs nothing.
    const wasChanged = wasOurs || currentContent(host, file.path) !== contentBefore(host, file);
    if (wasChanged) (wasOurs ? restored : left).push(file.path);
    recorded = recorded.filter(({ path }) => path !== file.path);
    writeRecord(host, recorded);
  }
  removeRecord(host);
  return { restored, left };
}

function contentBefore(host: HostRoot, { before }: ChangedFile): string | undefined {
  if (before.kind === 'absent') return undefined;
  return before.kind === 'link' ? `link:${before.target}` : currentContent(host, before.backup);
}

function restoreFile(host: HostRoot, { path, before }: ChangedFile): void {
  if (before.kind === 'absent') {
    rmSync(host.locate(path), { force: true });
    return;
  }
  putFile(host, path, (unfinished) => {
    if (before.kind === 'link') {
      symlinkSync(before.target, unfinished);
      return;
    }
    copyFileSync(host.locate(before.backup), unfinished);
    chmodSync(unfinished, before.mode);
  });
}
