import type { Action, Decision } from './decision.ts';
import { judgeGone } from './judge-gone.ts';
import type { Look, Observation } from './observation.ts';
import { policy } from './policy.ts';
import type { Policy } from './policy.ts';
import { beginRecord } from './record.ts';
import type { NodeRecord } from './record.ts';
import { createReport } from './report.ts';
import type { Report } from './report.ts';
import type { LifecycleSettings } from './settings.ts';
import { taintChange } from './taints.ts';

export type Observe = (
  record: NodeRecord | undefined,
  observation: Observation,
  settings: LifecycleSettings,
  nowMs: number,
) => Decision;

/** What follows from one more observation of a Node. `nowMs` is monotonic and not earlier than the answer. */
export const observe: Observe = createObserve(policy);

export function createObserve(using: Policy): Observe {
  return (known, observation, settings, nowMs) => {
    const { record, reason } = carryOn(using, known, observation, nowMs);
    if (!using.isOurs(observation)) return standAside(record, observation);
    const { look } = observation;
    const taints = taintChange(observation, settings);
    const decision =
      look?.finding.is === 'gone'
        ? judgeGone(using, { observation, look, word: look.finding.word, record, settings, nowMs })
        : decideOther(record, observation, reason);
    if (taints === undefined) return decision;
    const tainted: Action = { do: 'taint', ...taints };
    return { ...decision, action: tainted };
  };
}

interface Carried {
  readonly record: NodeRecord;
  readonly reason: string;
}

function carryOn(using: Policy, known: NodeRecord | undefined, observation: Observation, nowMs: number): Carried {
  const reset = known && using.resets.find((each) => each.applies(known, observation, nowMs));
  const finding = observation.look && { finding: observation.look.finding };
  if (known !== undefined && reset === undefined) {
    return { record: { ...known, lastAtMs: nowMs, ...finding }, reason: 'nothing new' };
  }
  const told = known?.uid === observation.uid ? known.reported : undefined;
  const record = { ...beginRecord(observation, nowMs), ...finding, ...(told !== undefined && { reported: told }) };
  return { record, reason: reset?.reason ?? 'first sight of this Node' };
}

function standAside(record: NodeRecord, { ownership, look }: Observation): Decision {
  return {
    record,
    ...(look && { scope: look.scope }),
    action: { do: 'nothing' },
    reason: `the Node is ${ownership}: it is left alone`,
    verdicts: [],
  };
}

function decideOther(record: NodeRecord, { look }: Observation, reason: string): Decision {
  const report = look && reportOf(record, look);
  const isNews = report !== undefined && report.kind !== record.reported;
  return {
    record: report === undefined ? record : noteReport(record, report),
    ...(look && { scope: look.scope }),
    action: { do: 'nothing' },
    ...(isNews && { report }),
    reason: look === undefined ? reason : describeLook(look),
    verdicts: [],
  };
}

function noteReport(record: NodeRecord, { kind, clearsCondition }: Report): NodeRecord {
  if (!clearsCondition) return { ...record, reported: kind };
  const { reported: cleared, ...rest } = record;
  return cleared === undefined ? record : rest;
}

function reportOf({ reported }: NodeRecord, look: Look): Report | undefined {
  if (look.finding.is === 'ambiguous') return createReport('InstanceAmbiguous', describeLook(look));
  if (look.finding.is !== 'present' || reported === undefined) return undefined;
  return createReport('InstanceFound', describeLook(look));
}

function describeLook({ finding }: Look): string {
  switch (finding.is) {
    case 'present':
      return `the cloud shows the instance, ${finding.running ? '' : 'not '}running`;
    case 'ambiguous':
      return `several instances could be the one: ${finding.candidates.join(', ')}`;
    case 'unknown':
      return `could not find out, which counts neither way: ${finding.failure.message}`;
    case 'gone':
      return `the cloud says ${finding.word}: ${finding.quote}`;
  }
}
