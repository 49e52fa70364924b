import type { LifecycleAction, LifecycleDecision } from './decision.ts';
import { decideGone } from './decide-gone.ts';
import type { ObservedLookup, Observation } from './observation.ts';
import { lifecyclePolicy } from './policy.ts';
import type { LifecyclePolicy } from './policy.ts';
import { createNodeRecord } from './record.ts';
import type { NodeRecord } from './record.ts';
import { createReport } from './report.ts';
import type { DeletionReport } from './report.ts';
import { isFound, isGone } from './result-kinds.ts';
import type { LifecycleSettings } from './settings.ts';
import { taintChange } from './taints.ts';

export type Observe = (
  record: NodeRecord | undefined,
  observation: Observation,
  settings: LifecycleSettings,
  nowMs: number,
) => LifecycleDecision;

/** Decides after one more observation of a Node. `nowMs` is monotonic and not earlier than the answer. */
export const observe: Observe = createObserve(lifecyclePolicy);

export function createObserve(activePolicy: LifecyclePolicy): Observe {
  return (previous, observation, settings, nowMs) => {
    const { record, reason } = updateRecord(activePolicy, previous, observation, nowMs);
    if (!activePolicy.isOurs(observation)) return leaveAlone(record, observation);
    const { lookup } = observation;
    const taints = taintChange(observation, settings);
    const decision =
      lookup !== undefined && isGone(lookup.result)
        ? decideGone(activePolicy, { observation, lookup, status: lookup.result.status, record, settings, nowMs })
        : decideNotGone(record, observation, reason);
    if (taints === undefined) return decision;
    const taintAction: LifecycleAction = { do: 'taint', ...taints };
    return { ...decision, action: taintAction };
  };
}

interface UpdatedRecord {
  readonly record: NodeRecord;
  readonly reason: string;
}

function updateRecord(
  activePolicy: LifecyclePolicy,
  previous: NodeRecord | undefined,
  observation: Observation,
  nowMs: number,
): UpdatedRecord {
  const reset = previous && activePolicy.resets.find((each) => each.applies(previous, observation, nowMs));
  const latestResult = observation.lookup && { result: observation.lookup.result };
  if (previous !== undefined && reset === undefined) {
    return { record: { ...previous, lastAtMs: nowMs, ...latestResult }, reason: 'nothing new' };
  }
  const reported = previous?.uid === observation.uid ? previous.reported : undefined;
  const record = {
    ...createNodeRecord(observation, nowMs),
    ...latestResult,
    ...(reported !== undefined && { reported }),
  };
  return { record, reason: reset?.reason ?? 'first sight of this Node' };
}

function leaveAlone(record: NodeRecord, { ownership, lookup }: Observation): LifecycleDecision {
  return {
    record,
    ...(lookup && { scope: lookup.scope }),
    action: { do: 'nothing' },
    reason: `the Node is ${ownership}: it is left alone`,
    ruleResults: [],
  };
}

function decideNotGone(record: NodeRecord, { lookup }: Observation, reason: string): LifecycleDecision {
  const report = lookup && reportOf(record, lookup);
  const isNews = report !== undefined && report.kind !== record.reported;
  return {
    record: report === undefined ? record : recordReport(record, report),
    ...(lookup && { scope: lookup.scope }),
    action: { do: 'nothing' },
    ...(isNews && { report }),
    reason: lookup === undefined ? reason : describeLookup(lookup),
    ruleResults: [],
  };
}

function recordReport(record: NodeRecord, { kind, clearsCondition }: DeletionReport): NodeRecord {
  if (!clearsCondition) return { ...record, reported: kind };
  const { reported: cleared, ...rest } = record;
  return cleared === undefined ? record : rest;
}

function reportOf({ reported }: NodeRecord, lookup: ObservedLookup): DeletionReport | undefined {
  if (lookup.result.status === 'ambiguous') return createReport('InstanceAmbiguous', describeLookup(lookup));
  if (!isFound(lookup.result) || reported === undefined) return undefined;
  return createReport('InstanceFound', describeLookup(lookup));
}

function describeLookup({ result }: ObservedLookup): string {
  switch (result.status) {
    case 'running':
      return 'the cloud reports the instance as running';
    case 'stopped':
      return 'the cloud reports the instance as stopped';
    case 'ambiguous':
      return `several instances could be the one: ${result.candidates.join(', ')}`;
    case 'unknown':
      return `could not find out, which counts neither way: ${result.failure.message}`;
    case 'terminated':
    case 'not-found':
      return `the cloud reports ${result.status}: ${result.evidence}`;
  }
}
