import type { SyncResult } from './sync-node.ts';

export interface SyncDelaySettings {
  /** How often the metadata is read while all is well. */
  readonly readEveryMs: number;
  readonly random: () => number;
}

const firstBackoffMs = 500;
const longestBackoffMs: Readonly<Record<'machine' | 'api-server' | 'node', number>> = {
  // Asking costs nobody anything, and a new node is waited for.
  machine: 5_000,
  'api-server': 30_000,
  // Somebody has to correct something first; a change of the Node is seen at once anyway.
  node: 60_000,
};
/** Whatever somebody asks for. */
const longestRetryAfterMs = 60_000;
const replacedDelayMs = 1_000;

/** How long to wait after a turn; `failures`: how many have failed in a row. */
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
    case 'true':
    case 'planned':
    case 'left-alone':
      return readEveryMs * (0.9 + random() * 0.2);
  }
}
