import type { AssessedNotice } from './decide.ts';

const effectTexts: Readonly<Record<AssessedNotice['notice']['effect'], string>> = {
  ends: 'the instance ends',
  restarts: 'the instance restarts',
  pauses: 'the instance pauses',
  'may-end': 'the instance may end',
};

/** One sentence for events, conditions and webhooks. */
export function describeNotice({ notice, deadlineAtMs }: AssessedNotice): string {
  const at = deadlineAtMs === undefined ? '' : ` at ${new Date(deadlineAtMs).toISOString()}`;
  return `${effectTexts[notice.effect]}${at} (${notice.vendorText})`;
}
