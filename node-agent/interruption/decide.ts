import type { Notice } from '../../clouds/index.ts';
import type { InterruptionAction } from '../../schemas/interruption.ts';
import type { KnownNotice } from './merge-notices.ts';
import type { InterruptionSettings } from './settings.ts';

/** What is to be done now about one notice. */
export interface AssessedNotice {
  readonly notice: KnownNotice;
  readonly action: InterruptionAction;
  /** The effect is uncertain, or still far away. */
  readonly isAdvice: boolean;
  /** When the effect begins. Absent: it may never begin. */
  readonly deadlineAtMs?: number;
  /** When time alone changes this assessment. */
  readonly changesAtMs?: number;
}

/** How the Node should be marked, and whether it should be drained. */
export interface InterruptionDecision {
  /** All notices that are not ignored. */
  readonly assessed: readonly AssessedNotice[];
  /** Absent: the Node has no taint of ours. */
  readonly taint?: InterruptionTaint;
  /** The Node is unschedulable. */
  readonly cordon: boolean;
  /** Absent: no pod is evicted. */
  readonly drain?: DrainOrder;
  /** When to decide again, even if no notice has changed. */
  readonly decideAgainAtMs?: number;
}

export interface InterruptionTaint {
  /** Advice only prefers other Nodes for new pods. */
  readonly effect: 'NoSchedule' | 'PreferNoSchedule';
  readonly value: Notice['effect'];
}

export interface DrainOrder {
  /** Absent: there is no hurry, and budgets are never overridden. */
  readonly deadlineAtMs?: number;
  /** Why. */
  readonly notices: readonly KnownNotice[];
}

/** Pure: the same notices, settings and time give the same decision. */
export function decideInterruption(
  notices: readonly KnownNotice[],
  settings: InterruptionSettings,
  nowMs: number,
): InterruptionDecision {
  const assessed = notices
    .map((notice) => assess(notice, settings, nowMs))
    .filter(({ action }) => action !== 'ignore')
    .toSorted(byUrgency);
  const taint = taintFor(assessed);
  const draining = assessed.filter(({ action }) => action === 'drain');
  const drain = drainFor(draining);
  const decideAgainAtMs = earliest(assessed.map(({ changesAtMs }) => changesAtMs));
  return {
    assessed,
    ...(taint !== undefined && { taint }),
    cordon: draining.length > 0,
    ...(drain !== undefined && { drain }),
    ...(decideAgainAtMs !== undefined && { decideAgainAtMs }),
  };
}

function assess(notice: KnownNotice, settings: InterruptionSettings, nowMs: number): AssessedNotice {
  const action = settings.actions[notice.effect];
  const deadlineAtMs = deadlineOf(notice, settings);
  if (deadlineAtMs === undefined) {
    const staleAtMs = notice.firstSeenAtMs + settings.adviceMs;
    const isStale = nowMs >= staleAtMs;
    return isStale
      ? { notice, action: orReport(action), isAdvice: true }
      : { notice, action, isAdvice: true, changesAtMs: staleAtMs };
  }
  const urgentAtMs = deadlineAtMs - settings.drainAheadMs;
  if (nowMs >= urgentAtMs) return { notice, action, isAdvice: false, deadlineAtMs };
  // A drain this early would only shorten the life of the Node.
  const early = action === 'drain' ? 'taint' : action;
  return { notice, action: early, isAdvice: true, deadlineAtMs, changesAtMs: urgentAtMs };
}

/**
 * A time that had passed when the notice was first seen is as good as none: the instance still runs. A time that is later
 * than the cloud promises shows that the clock of this machine is late. `undefined`: the effect may never begin.
 */
export function deadlineOf(
  { effect, atMs, withinMs, firstSeenAtMs }: KnownNotice,
  { unknownTimeMs }: Pick<InterruptionSettings, 'unknownTimeMs'>,
): number | undefined {
  const isAhead = atMs !== undefined && atMs > firstSeenAtMs;
  if (effect === 'may-end' && !isAhead) return undefined;
  const latestAtMs = withinMs === undefined ? undefined : firstSeenAtMs + withinMs;
  return isAhead ? earliest([atMs, latestAtMs]) : (latestAtMs ?? firstSeenAtMs + unknownTimeMs);
}

function orReport(action: InterruptionAction): InterruptionAction {
  return action === 'ignore' ? 'ignore' : 'report';
}

function byUrgency(a: AssessedNotice, b: AssessedNotice): number {
  if (a.isAdvice !== b.isAdvice) return a.isAdvice ? 1 : -1;
  return (a.deadlineAtMs ?? Infinity) - (b.deadlineAtMs ?? Infinity);
}

function taintFor(assessed: readonly AssessedNotice[]): InterruptionTaint | undefined {
  const tainting = assessed.filter(({ action }) => action === 'taint' || action === 'drain');
  const firm = tainting.find(({ action, isAdvice }) => action === 'drain' || !isAdvice);
  if (firm !== undefined) return { effect: 'NoSchedule', value: firm.notice.effect };
  const advice = tainting[0];
  return advice && { effect: 'PreferNoSchedule', value: advice.notice.effect };
}

function drainFor(draining: readonly AssessedNotice[]): DrainOrder | undefined {
  const confirmed = draining.filter(({ notice }) => notice.isUnconfirmed !== true);
  if (confirmed.length === 0) return undefined;
  const deadlineAtMs = earliest(confirmed.map((each) => each.deadlineAtMs));
  return { ...(deadlineAtMs !== undefined && { deadlineAtMs }), notices: confirmed.map(({ notice }) => notice) };
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
