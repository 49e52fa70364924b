import type { Turn } from './turn.ts';

export interface TimetableParts {
  /** How often the metadata is read while all is well. */
  readonly readEveryMs: number;
  readonly random: () => number;
}

const firstWaitMs = 500;
const longestWaitMs: Readonly<Record<'machine' | 'api-server' | 'node', number>> = {
  // Asking costs nobody anything, and a new node is waited for.
  machine: 5_000,
  'api-server': 30_000,
  // Somebody has to correct something first; a change of the Node is seen at once anyway.
  node: 60_000,
};
/** Whatever somebody asks for. */
const longestAskedMs = 60_000;
const replacedWaitMs = 1_000;

/** How long to wait after a turn; `failures`: how many have failed in a row. */
export function waitAfter(turn: Turn, failures: number, { readEveryMs, random }: TimetableParts): number {
  switch (turn.kind) {
    case 'replaced':
      return replacedWaitMs;
    case 'failed': {
      const fullMs = Math.min(firstWaitMs * 2 ** Math.min(failures, 10), longestWaitMs[turn.of], readEveryMs);
      return Math.max(fullMs * (0.5 + random() / 2), Math.min(turn.retryAfterMs ?? 0, longestAskedMs));
    }
    case 'true':
    case 'planned':
    case 'left-alone':
      return readEveryMs * (0.9 + random() * 0.2);
  }
}
