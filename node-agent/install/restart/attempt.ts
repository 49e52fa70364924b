import { renameSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { HostRoot } from '../host-root.ts';
import { putFile, syncToDisk } from '../put-file.ts';

/** On the host: the old files, the script that restores them, and how far the attempt has come. */
export const attemptDirectory = '/var/lib/polycloud/restart';

/**
 * How far an attempt to restart the kubelet has come. The installer and the host's timer each go on by renaming one file,
 * so only one of them can leave a phase:
 * `waiting` for other nodes, nothing is changed · `armed` the timer is set, the files are being changed ·
 * `restarting` the kubelet was asked to restart · `confirmed` the Node is Ready with the new files ·
 * `undoing` and `undone` the timer found `armed`, and restores the old files · `restoring` and `restored` it found
 * `restarting`.
 */
export type Phase = (typeof phases)[number];

const phases = ['waiting', 'armed', 'restarting', 'confirmed', 'undoing', 'undone', 'restoring', 'restored'] as const;

/** What has to be known after the installer was killed. */
export interface Attempt {
  readonly service: string;
  /** When it began, by the clock of the host. */
  readonly startedAtMs: number;
  /** The time of the Node's heartbeat before the restart. */
  readonly heartbeatBefore: string;
}

const AttemptFile = z.strictObject({ service: z.string(), startedAtMs: z.number(), heartbeatBefore: z.string() });
const attemptFile = `${attemptDirectory}/attempt.json`;

export function phaseFile(phase: Phase): string {
  return `${attemptDirectory}/phase.${phase}`;
}

/** `undefined`: there is no attempt. */
export function readPhase(host: HostRoot): Phase | undefined {
  const names = host.list(attemptDirectory);
  const found = phases.find((phase) => names.includes(`phase.${phase}`));
  // A killed process may have left the directory alone, at the begin or the end of an attempt.
  return found ?? (host.isFolder(attemptDirectory) ? 'waiting' : undefined);
}

export function beginAttempt(host: HostRoot): void {
  putFile(host, phaseFile('waiting'), (file) => writeFileSync(file, ''));
}

export function writeAttempt(host: HostRoot, attempt: Attempt): void {
  putFile(host, attemptFile, (file) => writeFileSync(file, JSON.stringify(attempt), { mode: 0o600 }));
}

export function readAttempt(host: HostRoot): Attempt {
  const parsed = AttemptFile.safeParse(parseJson(host.readText(attemptFile) ?? ''));
  if (parsed.success) return parsed.data;
  throw new Failure('misconfigured', `${attemptFile} on the host is not the record of a restart`, {
    remedy: `check the kubelet, then remove ${attemptDirectory} on the host`,
  });
}

/** `false`: the host's timer was faster. */
export function enterPhase(host: HostRoot, from: Phase, to: Phase): boolean {
  try {
    renameSync(host.locate(phaseFile(from)), host.locate(phaseFile(to)));
    syncToDisk(host.locate(attemptDirectory));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** The phase first: what a killed process leaves then is removed by the next one. */
export function endAttempt(host: HostRoot): void {
  for (const phase of phases) rmSync(host.locate(phaseFile(phase)), { force: true });
  rmSync(host.locate(attemptDirectory), { recursive: true, force: true });
}
