import type { Notice } from '../../clouds/index.ts';
import { printable } from '../../lib/printable.ts';

/** A notice, and when an agent of this Node first saw it, by wall time. */
export interface KnownNotice extends Notice {
  readonly firstSeenAtMs: number;
  /**
   * An earlier agent saw it, and its time had passed when this one started: the machine may have been restarted since. No
   * pod is evicted for it until the cloud lists it again.
   */
  readonly isUnconfirmed?: true;
}

/** The part of a poll that decides what is known after it. */
export interface ReadNotices {
  readonly notices: readonly Notice[];
  readonly unread: readonly { readonly source: string }[];
}

export interface MergeTimes {
  readonly nowMs: number;
  /** For a notice whose time is unknown. */
  readonly unknownTimeMs: number;
}

/** The state has to fit into an annotation, whatever the metadata service returns. */
const maxNotices = 20;
const longestIdCharacters = 200;
const longestTextCharacters = 300;

/**
 * What is known after a poll. A notice of a source that was read and does not list it any more was withdrawn; one of a
 * source that could not be read still holds. Pure.
 */
export function mergeNotices(
  known: readonly KnownNotice[],
  { notices, unread }: ReadNotices,
  times: MergeTimes,
): readonly KnownNotice[] {
  const knownById = new Map(known.map((notice) => [notice.id, notice]));
  const bounded = notices.map((notice) => boundNotice(notice));
  const listed = new Map(bounded.map((notice) => [notice.id, mergeNotice(knownById.get(notice.id), notice, times)]));
  const unreadSources = new Set(unread.map(({ source }) => source));
  const kept = known
    .filter(({ id, source }) => unreadSources.has(source) && !listed.has(id))
    .map((notice) => boundNotice(notice));
  return mostUrgent([...listed.values(), ...kept]).toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * A notice that is confirmed counts like a new one: the machine has outlived its time. Azure's events lose their time when
 * they start. They may do so early.
 */
function mergeNotice(
  known: KnownNotice | undefined,
  notice: Notice,
  { nowMs, unknownTimeMs }: MergeTimes,
): KnownNotice {
  if (known === undefined || known.isUnconfirmed === true) return { ...notice, firstSeenAtMs: nowMs };
  const { firstSeenAtMs } = known;
  if (notice.atMs !== undefined || known.atMs === undefined) return { ...notice, firstSeenAtMs };
  return { ...notice, atMs: Math.min(known.atMs, nowMs + unknownTimeMs), firstSeenAtMs };
}

/** Text from outside gets to annotations, events and terminals. */
function boundNotice<N extends Notice>(notice: N): N {
  const { id, source, vendorText } = notice;
  return {
    ...notice,
    id: id.slice(0, longestIdCharacters),
    source: source.slice(0, longestIdCharacters),
    vendorText: printable(vendorText).slice(0, longestTextCharacters),
  };
}

function mostUrgent(notices: readonly KnownNotice[]): readonly KnownNotice[] {
  if (notices.length <= maxNotices) return notices;
  return notices.toSorted((a, b) => (a.atMs ?? 0) - (b.atMs ?? 0)).slice(0, maxNotices);
}
