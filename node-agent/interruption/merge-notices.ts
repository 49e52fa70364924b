import type { NoticePoll } from '../../clouds/index.ts';
import type { KnownNotice } from './decide.ts';

/**
 * What is known after a poll. A notice of a source that was read and does not list it any more was withdrawn; one of a
 * source that could not be read still holds. Pure.
 */
export function mergeNotices(
  known: readonly KnownNotice[],
  { notices, unread }: Pick<NoticePoll, 'notices' | 'unread'>,
  nowMs: number,
): readonly KnownNotice[] {
  const firstSeenAtMs = new Map(known.map((notice) => [notice.id, notice.firstSeenAtMs]));
  const listed = new Map(
    notices.map((notice) => [notice.id, { ...notice, firstSeenAtMs: firstSeenAtMs.get(notice.id) ?? nowMs }]),
  );
  const unreadSources = new Set(unread.map(({ source }) => source));
  const kept = known.filter(({ id, source }) => unreadSources.has(source) && !listed.has(id));
  return [...listed.values(), ...kept].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
