import type { Action, Decision, Verdict } from './decision.ts';
import { nextLookInMs } from './next-look.ts';
import { noteDeletion } from './permission.ts';
import type { Policy } from './policy.ts';
import type { GoneWord } from './record.ts';
import { createReport } from './report.ts';
import type { ReportKind } from './report.ts';
import { describeSightings } from './rules.ts';
import type { Evidence, Rule } from './rules.ts';
import { addSighting } from './sightings.ts';

/** What follows when the cloud says that the instance is gone: a sighting or none, a deletion or none. */
export function judgeGone(using: Policy, before: Evidence): Decision {
  const asSighting = judge(using.sightingRules, before);
  const evidence = asSighting.every(({ holds }) => holds) ? count(before) : before;
  const verdicts = [...asSighting, ...judge(using.deletionRules, evidence)];
  const failed = verdicts.filter(({ holds }) => !holds);
  const action = act(evidence, failed, asSighting);
  return { ...tell(evidence, failed, action), action, verdicts };
}

function judge(rules: readonly Rule[], evidence: Evidence): readonly Verdict[] {
  return rules.map((rule) => ({
    rule: rule.name,
    requires: rule.requires,
    holds: rule.holds(evidence),
    stands: rule.stands(evidence),
  }));
}

function count(evidence: Evidence): Evidence {
  const { record, word, look, settings, nowMs } = evidence;
  return {
    ...evidence,
    record: addSighting(record, { word, askedAtMs: look.askedAtMs, answeredAtMs: nowMs }, settings),
  };
}

function act(evidence: Evidence, failed: readonly Verdict[], asSighting: readonly Verdict[]): Action {
  if (failed.length === 0) return { do: 'delete', uid: evidence.observation.uid, word: evidence.word };
  const isSighting = asSighting.every(({ holds }) => holds);
  return isSighting ? { do: 'wait', nextLookInMs: nextLookInMs(evidence) } : { do: 'nothing' };
}

function tell(
  evidence: Evidence,
  failed: readonly Verdict[],
  action: Action,
): Pick<Decision, 'record' | 'scope' | 'report' | 'reason'> {
  const { record, word, look, observation, nowMs } = evidence;
  const reason = reasonOf(evidence, failed, action);
  const kind = action.do === 'delete' ? 'DeletingNode' : reportKindOf(word, failed);
  return {
    record: kind === undefined ? record : { ...record, reported: kind },
    scope: action.do === 'delete' ? noteDeletion(look.scope, { uid: observation.uid, word }, nowMs) : look.scope,
    ...(kind !== undefined && kind !== record.reported && { report: createReport(kind, reason) }),
    reason,
  };
}

/** Why nothing is done counts most; what is waited for comes last. */
function reasonOf(evidence: Evidence, failed: readonly Verdict[], action: Action): string {
  const seen = describeSightings(evidence);
  if (action.do === 'delete') return `${seen}: the Node is deleted`;
  if (action.do !== 'wait') return `the cloud says ${evidence.word}, which does not count: ${whyNot(failed[0])}`;
  const others = failed.filter(({ rule }) => rule !== 'sightings' && rule !== 'span').map(whyNot);
  return [seen, ...others, `next look in ${Math.ceil(action.nextLookInMs / 1000)} s`].join('; ');
}

function whyNot(verdict: Verdict | undefined): string {
  return verdict === undefined ? '' : verdict.stands;
}

/** What keeps a Node whose instance is said to be gone, in the order of what an operator has to know. */
const keptBecause: readonly (readonly [rule: string, kind: ReportKind | undefined])[] = [
  ['canary', undefined],
  ['known', 'InstanceNeverFound'],
  // Before `asked-since`: being Ready is a sign of life at this very moment, so no question to a Ready Node is since it.
  ['not-ready', 'InstanceGoneButReady'],
  ['asked-since', undefined],
  ['not-being-deleted', undefined],
  ['sightings', 'InstanceGone'],
  ['span', 'InstanceGone'],
  ['age', 'InstanceGone'],
];

function reportKindOf(word: GoneWord, failed: readonly Verdict[]): ReportKind | undefined {
  const rules = new Set(failed.map(({ rule }) => rule));
  const kept = keptBecause.find(([rule]) => rules.has(rule));
  if (kept !== undefined) return kept[1];
  // Only the scope's permission is missing: the breaker stops, the pace merely slows.
  return word === 'not-found' ? 'DeletionsStopped' : 'InstanceGone';
}
