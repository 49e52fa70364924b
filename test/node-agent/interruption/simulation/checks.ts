import { keys } from '../../../../schemas/keys.ts';
import { markText } from '../harness.ts';
import type { Machine } from '../harness.ts';
import { nowMs, secondMs } from '../notices.ts';
import { holds, settings, troublesAt } from './scenario.ts';
import type { PlannedNotice, Scenario } from './scenario.ts';

export interface Checks {
  readonly violations: readonly string[];
  /** An agent has polled, and could read these sources. */
  polled(read: readonly string[], second: number): void;
  /** Before the second passes. */
  before(second: number, hasAgent: boolean): void;
  after(second: number): void;
  ended(left: readonly string[]): void;
}

/** Failures that lasted until shortly before a deadline may leave too little time. A request that hangs takes 10 s. */
const calmS = 25;

/** After the agent has started or the API server is back: it waits for the first poll, and 10 s for a request that hangs. */
const settleS = 14;

interface KnownPlan {
  readonly planned: PlannedNotice;
  /** Of the first agent that knew it. */
  readonly seenS: number;
}

/** What an agent promises, checked by what the cloud announced and the API server accepted, without the agent's code. */
export function createChecks(scenario: Scenario, machine: Machine): Checks {
  const violations: string[] = [];
  /** By id: what agents know, and when they saw it first. */
  const known = new Map<string, KnownPlan>();
  const knownAtS: ReadonlySet<string>[] = [];
  let calmSinceS = 0;
  let writableSinceS = 0;
  let acceptedBefore = 0;
  const minute = { nodeRequests: 0, podRequests: 0 };
  return {
    violations,
    polled: (read, second) => {
      for (const planned of scenario.notices) {
        const { id, source } = planned.notice;
        if (!read.includes(source)) continue;
        if (!holds(planned, second)) known.delete(id);
        else if (!known.has(id)) known.set(id, { planned, seenS: second });
      }
    },
    before: (second, hasAgent) => {
      if (!hasAgent) forgetUnwritten();
      const isCalm = hasAgent && !scenario.troubles.some((span) => holds(span, second));
      if (!isCalm) calmSinceS = second + 1;
      const troubles = troublesAt(scenario, second);
      const isWritable = hasAgent && !troubles.has('node-writes') && !troubles.has('node-hangs');
      if (!isWritable) writableSinceS = second + 1;
      knownAtS.push(new Set(known.keys()));
    },
    after: (second) => {
      checkReasons(second);
      checkMarks(second);
      checkDeadlines(second);
      checkRequests(second);
    },
    ended: (left) => {
      for (const what of left) violations.push(`left after the last notice: ${what}`);
    },
  };

  /** The next agent knows only what the last one could write. */
  function forgetUnwritten(): void {
    const { node } = machine.api;
    const state = node.metadata.annotations?.[keys.interruptionState] ?? '';
    if (markText(node).includes('NoSchedule')) return;
    for (const id of known.keys()) if (!state.includes(`"${id}"`)) known.delete(id);
  }

  /** No pod is asked to go without a notice that requires a drain now. */
  function checkReasons(second: number): void {
    const { accepted } = machine.pods;
    for (const line of accepted.slice(acceptedBefore)) {
      const isRequired = [...known.values()].some((notice) => drainsAt(notice, second + 1));
      if (!isRequired) violations.push(`no reason at ${String(second)} s: ${line}`);
      const name = line.split(' ')[2];
      const pod = scenario.pods.find((each) => each.name === name);
      if (pod?.stays === true) violations.push(`a pod that stays: ${line}`);
    }
    acceptedBefore = accepted.length;
  }

  /** Nothing is scheduled there, also while the metadata service is away and after a restart. */
  function checkMarks(second: number): void {
    const drainsForS = (notice: KnownPlan): number =>
      second - Math.max(knownSinceS(notice.planned), deadlineS(notice) - settings.drainAheadMs / secondMs);
    const isDrained = [...known.values()].some((each) => isDraining(each) && drainsForS(each) > settleS);
    const isMarked = markText(machine.api.node).endsWith(':NoSchedule cordon');
    if (isDrained && second - writableSinceS > settleS && !isMarked) {
      violations.push(`not marked at ${String(second)} s`);
    }
  }

  function knownSinceS({ notice: { id } }: PlannedNotice): number {
    return knownAtS.findLastIndex((ids) => !ids.has(id)) + 1;
  }

  /** At the end of its time each pod was asked to go, and gets no more time than is left. */
  function checkDeadlines(second: number): void {
    for (const each of known.values()) {
      const endS = deadlineS(each) - settings.marginMs / secondMs;
      const drainsSinceS = endS + (settings.marginMs - settings.drainAheadMs) / secondMs;
      const isDue = second === Math.ceil(endS) + 1;
      const readyS = Math.max(calmSinceS, knownSinceS(each.planned), drainsSinceS);
      if (isDue && isDraining(each) && readyS <= endS - calmS) checkEnds(endS);
    }
  }

  function checkEnds(endS: number): void {
    const going = scenario.pods.filter(({ stays, comesAtS }) => !stays && comesAtS === undefined);
    for (const { name } of going) {
      const pod = machine.pods.pods.get(name);
      const endsS = pod === undefined ? 0 : ((pod.endsAtMs ?? Infinity) - nowMs) / secondMs;
      if (endsS > endS + 6) violations.push(`${name} ends at ${String(endsS)} s, after ${String(endS)} s`);
    }
  }

  function checkRequests(second: number): void {
    if (second % 60 !== 59) return;
    const { requests: nodeRequests, pods } = machine;
    const perMinute = [nodeRequests.count - minute.nodeRequests, pods.requests.count - minute.podRequests] as const;
    if (perMinute[0] > 150) violations.push(`${String(perMinute[0])} requests about the Node in a minute`);
    if (perMinute[1] > 20 + scenario.pods.length * 20) violations.push(`${String(perMinute[1])} requests about pods`);
    [minute.nodeRequests, minute.podRequests] = [nodeRequests.count, pods.requests.count];
  }
}

function drainsAt(notice: KnownPlan, second: number): boolean {
  return isDraining(notice) && second >= deadlineS(notice) - settings.drainAheadMs / secondMs;
}

function isDraining({ planned: { notice } }: KnownPlan): boolean {
  return notice.effect === 'ends' || notice.effect === 'restarts';
}

/** The documented time: that of the notice, if it is ahead, and no later than the cloud promises. */
function deadlineS({ planned: { notice }, seenS }: KnownPlan): number {
  const { atMs, withinMs } = notice;
  const atS = atMs === undefined ? -Infinity : (atMs - nowMs) / secondMs;
  const latestS = withinMs === undefined ? undefined : seenS + withinMs / secondMs;
  if (atS > seenS) return Math.min(atS, latestS ?? Infinity);
  return latestS ?? seenS + settings.unknownTimeMs / secondMs;
}
