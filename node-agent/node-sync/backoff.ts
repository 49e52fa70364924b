import { rereadUnreadMs } from '../../lib/node/plan.ts';
import type { SyncResult } from './sync-node.ts';

export interface SyncDelaySettings {
  /** How often the metadata is read while syncs succeed. */
  readonly readEveryMs: number;
  readonly random: () => number;
}

const firstBackoffMs = 500;
const longestBackoffMs: Readonly<Record<'machine' | 'api-server' | 'node', number>> = {
  // The metadata service is local, and pods wait for a new node.
  machine: 5_000,
  'api-server': 30_000,
  // An operator has to correct something first. A change of the Node starts a sync anyway.
  node: 60_000,
};
/** Even if a Retry-After is longer. */
const longestRetryAfterMs = 60_000;
const replacedDelayMs = 1_000;

/** The pause after a sync. `failures`: failed syncs in a row. */
export function nextSyncDelayMs(
  result: SyncResult,
  failures: number,
  { readEveryMs, random }: SyncDelaySettings,
): number {
  switch (result.kind) {
    case 'replaced':
      return replacedDelayMs;
    case 'failed': {
      const fullMs = Math.min(
        firstBackoffMs * 2 ** Math.min(failures, 10),
        longestBackoffMs[result.source],
        readEveryMs,
      );
      return Math.max(fullMs * (0.5 + random() / 2), Math.min(result.retryAfterMs ?? 0, longestRetryAfterMs));
    }
    case 'synced':
      if (result.hasUnread) return Math.min(rereadUnreadMs, readEveryMs);
      return readEveryMs * (0.9 + random() * 0.2);
    case 'planned':
    case 'left-alone':
      return readEveryMs * (0.9 + random() * 0.2);
  }
}
