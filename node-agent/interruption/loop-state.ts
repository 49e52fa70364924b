import type { Clock } from '../../lib/clock.ts';
import { isOlder } from '../../lib/node/same-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { deadlineOf } from './decide.ts';
import type { InterruptionDecision } from './decide.ts';
import type { DrainRunner } from './drain/drain-runner.ts';
import { mergeNotices } from './merge-notices.ts';
import type { KnownNotice, ReadNotices } from './merge-notices.ts';
import type { InterruptionSettings } from './settings.ts';
import { readState } from './state.ts';

/** What the loop keeps in memory. */
export interface LoopState {
  notices: readonly KnownNotice[];
  /** A first poll has ended, whatever its result. */
  hasPolled: boolean;
  lastPoll: ReadNotices | undefined;
  decision: InterruptionDecision | undefined;
  /** After our own last write. The watch may deliver it later. */
  written: Node | undefined;
  /** The Node whose state was restored. */
  restoredUid: string | undefined;
  /** What marks were written last, when on the monotonic clock, and how often they had to be restored. */
  marked: { readonly wanted: string; readonly atMs: number; readonly restores: number } | undefined;
  /** What was written last as the condition, and as the plan of a dry run. */
  condition: string | undefined;
  planned: string | undefined;
  failures: number;
  /** On the monotonic clock. */
  readonly startedAtMs: number;
  /** Wall time less monotonic time. */
  clockOffsetMs: number;
}

export function newLoopState(clock: Clock): LoopState {
  return {
    notices: [],
    hasPolled: false,
    lastPoll: undefined,
    decision: undefined,
    written: undefined,
    restoredUid: undefined,
    marked: undefined,
    condition: undefined,
    planned: undefined,
    failures: 0,
    startedAtMs: clock.monotonicMs(),
    clockOffsetMs: clockOffsetMs(clock),
  };
}

export function newestNode(watched: Node | undefined, { written }: LoopState): Node | undefined {
  if (watched === undefined || written === undefined) return watched;
  return watched.metadata.uid === written.metadata.uid && isOlder(watched, written) ? written : watched;
}

/**
 * An earlier agent may have left a state, or a Node of the same name may have replaced the last one. Returns the notices
 * that an earlier agent has reported.
 */
export function restoreState(
  node: Node,
  state: LoopState,
  runner: DrainRunner,
  { clock, settings }: { readonly clock: Clock; readonly settings: InterruptionSettings },
): readonly KnownNotice[] {
  const nowMs = clock.wallMs();
  const { notices, drain } = readState(node);
  const restored = notices.map((notice) => toRestored(notice, settings, nowMs));
  const others = state.notices.filter(({ id }) => !restored.some((each) => each.id === id));
  const known = [...restored, ...others];
  // Without a poll so far, all of them still hold.
  const poll = state.lastPoll ?? { notices: [], unread: known.map(({ source }) => ({ source })) };
  state.notices = mergeNotices(known, poll, { nowMs, unknownTimeMs: settings.unknownTimeMs });
  state.condition = undefined;
  state.marked = undefined;
  state.restoredUid = node.metadata.uid;
  runner.restore(drain && { ...drain, startedAtMs: Math.min(drain.startedAtMs, nowMs) });
  return restored;
}

function toRestored(notice: KnownNotice, settings: InterruptionSettings, nowMs: number): KnownNotice {
  const restored = { ...notice, firstSeenAtMs: Math.min(notice.firstSeenAtMs, nowMs) };
  const hasPassed = (deadlineOf(restored, settings) ?? Infinity) <= nowMs;
  return hasPassed ? { ...restored, isUnconfirmed: true } : restored;
}

/** Less is a correction in small steps. */
const shortestStepMs = 5_000;

/** When somebody sets the clock, the times that were measured by it move along. Returns whether somebody did. */
export function followClock(state: LoopState, runner: Pick<DrainRunner, 'shiftStart'>, clock: Clock): boolean {
  const offsetMs = clockOffsetMs(clock);
  const stepMs = offsetMs - state.clockOffsetMs;
  if (Math.abs(stepMs) < shortestStepMs) return false;
  state.clockOffsetMs = offsetMs;
  state.notices = state.notices.map((each) => ({ ...each, firstSeenAtMs: each.firstSeenAtMs + stepMs }));
  runner.shiftStart(stepMs);
  return true;
}

function clockOffsetMs(clock: Clock): number {
  return clock.wallMs() - clock.monotonicMs();
}
