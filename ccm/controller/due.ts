import type { Clock } from '../../lib/clock.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import type { ControllerSettings } from './settings.ts';
import { groupKeyOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** When nodes are to be asked for next. All Ready nodes of a group share one moment, so that few calls serve them all. */
export interface Timetable {
  /** Right after something was learnt, or not. */
  afterLook(tracked: Tracked, lookAgainInMs: number | undefined): number;
  /** After a write that failed. */
  afterFailure(tracked: Tracked): number;
  /** After the Node itself changed. */
  afterChange(tracked: Tracked, before: Tracked['node'] | undefined): number;
}

/** Several nodes that register at once are asked for at once. */
const gatherMs = 100;
const firstRetryMs = 1_000;
const longestRetryMs = 60_000;

export function createTimetable(settings: ControllerSettings, clock: Clock, random: () => number): Timetable {
  const sweeps = new Map<string, number>();

  function sweepAtMs(tracked: Tracked): number {
    const nowMs = clock.monotonicMs();
    const key = groupKeyOf(tracked);
    const planned = sweeps.get(key) ?? 0;
    if (planned > nowMs) return planned;
    for (const [each, atMs] of sweeps) if (atMs <= nowMs) sweeps.delete(each);
    const nextMs = nowMs + settings.nodeStatusUpdateFrequencyMs * (0.9 + random() * 0.1);
    sweeps.set(key, nextMs);
    return nextMs;
  }

  function retryAtMs({ node, failures, initialisations }: Tracked): number {
    const times = isUninitialized(node) ? failures + initialisations : failures;
    const waitMs = Math.min(firstRetryMs * 2 ** Math.min(times, 10), longestRetryMs);
    return clock.monotonicMs() + waitMs * (0.5 + random() / 2);
  }

  return {
    afterLook: (tracked, lookAgainInMs) => {
      if (lookAgainInMs !== undefined) return clock.monotonicMs() + lookAgainInMs;
      if (isUninitialized(tracked.node) && settings.controllers.node) return retryAtMs(tracked);
      if (tracked.failures > 0) return retryAtMs(tracked);
      return isReady(tracked.node) ? sweepAtMs(tracked) : clock.monotonicMs() + settings.nodeMonitorPeriodMs;
    },
    afterFailure: retryAtMs,
    afterChange: (tracked, before) => {
      const nowMs = clock.monotonicMs();
      if (isUninitialized(tracked.node)) {
        const isNew = before === undefined || !isUninitialized(before);
        if (!isNew) return tracked.dueAtMs;
        if (tracked.initialisations > 0) return retryAtMs(tracked);
        return nowMs + Math.max(gatherMs, headStartLeftMs(tracked, settings, clock));
      }
      if (before === undefined) return nowMs + gatherMs;
      const fellOut = isReady(before) && !isReady(tracked.node);
      return fellOut ? Math.min(tracked.dueAtMs, nowMs + gatherMs) : tracked.dueAtMs;
    },
  };
}

function headStartLeftMs({ node }: Tracked, { agentHeadStartMs }: ControllerSettings, clock: Clock): number {
  const ageMs = clock.wallMs() - Date.parse(node.metadata.creationTimestamp);
  return Math.min(agentHeadStartMs, Math.max(0, agentHeadStartMs - ageMs));
}
