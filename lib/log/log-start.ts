import { commit, version } from '../command-line/version.ts';
import type { Log } from './log.ts';

export interface StartFields {
  readonly program: string;
  readonly clouds: readonly string[];
  /** The name of this process. */
  readonly identity: string;
  readonly dryRun: boolean;
}

/** The first line of a daemon. */
export function logStart(start: StartFields, log: Log): void {
  log.standard('starting', { ...start, version, commit, nodejs: process.versions.node });
}
