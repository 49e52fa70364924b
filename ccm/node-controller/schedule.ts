import type { Clock } from '../../lib/clock.ts';
import { isReady, isUninitialized } from '../../lib/node/read-node.ts';
import type { ControllerSettings } from './dependencies.ts';
import { batchKeyOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

/** When nodes are looked up next. All Ready nodes of a scope share one moment, so that few calls serve them all. */
export interface Schedule {
  /** After a look-up. */
  afterLookup(tracked: TrackedNode, nextLookupInMs: number | undefined): number;
  /** After a write that failed. */
  afterFailure(tracked: TrackedNode): number;
  /** After the Node itself changed. */
  afterChange(tracked: TrackedNode, before: TrackedNode['node'] | undefined): number;
}

/** Nodes that register at the same time are looked up together. */
const gatherMs = 100;
const firstRetryMs = 1_000;
const maxRetryMs = 60_000;

export function createSchedule(settings: ControllerSettings, clock: Clock, random: () => number): Schedule {
  const sweeps = new Map<string, number>();

  function sweepAtMs(tracked: TrackedNode): number {
    const nowMs = clock.monotonicMs();
    const key = batchKeyOf(tracked);
    const plannedAtMs = sweeps.get(key) ?? 0;
    if (plannedAtMs > nowMs) return plannedAtMs;
    for (const [each, atMs] of sweeps) if (atMs <= nowMs) sweeps.delete(each);
    const nextMs = nowMs + settings.nodeStatusUpdateFrequencyMs * (0.9 + random() * 0.1);
    sweeps.set(key, nextMs);
    return nextMs;
  }

  function retryAtMs({ node, failures, initialisations }: TrackedNode): number {
    const attempts = isUninitialized(node) ? failures + initialisations : failures;
    const waitMs = Math.min(firstRetryMs * 2 ** Math.min(attempts, 10), maxRetryMs);
    return clock.monotonicMs() + waitMs * (0.5 + random() / 2);
  }

  return {
    afterLookup: (tracked, nextLookupInMs) => {
      if (nextLookupInMs !== undefined) return clock.monotonicMs() + nextLookupInMs;
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
      const becameNotReady = isReady(before) && !isReady(tracked.node);
      return becameNotReady ? Math.min(tracked.dueAtMs, nowMs + gatherMs) : tracked.dueAtMs;
    },
  };
}

function headStartLeftMs({ node }: TrackedNode, { agentHeadStartMs }: ControllerSettings, clock: Clock): number {
  const ageMs = clock.wallMs() - Date.parse(node.metadata.creationTimestamp);
  return Math.min(agentHeadStartMs, Math.max(0, agentHeadStartMs - ageMs));
}
