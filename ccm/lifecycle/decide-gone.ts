import type { LifecycleAction, LifecycleDecision, RuleResult } from './decision.ts';
import { permissionOf, recordDeletion } from './permission.ts';
import type { LifecyclePolicy } from './policy.ts';
import type { GoneStatus } from './result-kinds.ts';
import { createReport } from './report.ts';
import type { ReportKind } from './report.ts';
import { describeSightings } from './rules.ts';
import type { RuleInput, LifecycleRule } from './rules.ts';
import { addSighting, requiredEvidence } from './sightings.ts';

/** Decides after the cloud reported the instance as gone: whether that counts as a sighting, and whether to delete. */
export function decideGone(activePolicy: LifecyclePolicy, before: RuleInput): LifecycleDecision {
  const sightingResults = checkRules(activePolicy.sightingRules, before);
  const input = sightingResults.every(({ holds }) => holds) ? countSighting(before) : before;
  const ruleResults = [...sightingResults, ...checkRules(activePolicy.deletionRules, input)];
  const failed = ruleResults.filter(({ holds }) => !holds);
  const action = chooseAction(input, failed, sightingResults);
  return { ...outcomeOf(input, failed, action), action, ruleResults };
}

function checkRules(rules: readonly LifecycleRule[], input: RuleInput): readonly RuleResult[] {
  return rules.map((rule) => ({
    rule: rule.name,
    requires: rule.requires,
    holds: rule.holds(input),
    actual: rule.actual(input),
  }));
}

function countSighting(input: RuleInput): RuleInput {
  const { record, status, lookup, settings, nowMs } = input;
  return {
    ...input,
    record: addSighting(record, { status, askedAtMs: lookup.askedAtMs, answeredAtMs: nowMs }, settings),
  };
}

function chooseAction(
  input: RuleInput,
  failed: readonly RuleResult[],
  sightingResults: readonly RuleResult[],
): LifecycleAction {
  if (failed.length === 0) return { do: 'delete', uid: input.observation.uid, status: input.status };
  const countsAsSighting = sightingResults.every(({ holds }) => holds);
  return countsAsSighting ? { do: 'wait', nextLookupInMs: nextLookupInMs(input) } : { do: 'nothing' };
}

/**
 * How long until another look-up can help. The sightings that are missing are spread evenly. What has no time of its own,
 * like an operator's confirmation, is looked for as often as sightings are counted.
 */
function nextLookupInMs(input: RuleInput): number {
  const { record, status, settings, nowMs } = input;
  const { sightings, spanMs } = requiredEvidence(status, settings);
  const previous = record.sightings[status];
  const missing = sightings - (previous?.count ?? 0);
  const spanLeftMs = previous === undefined ? 0 : previous.firstAtMs + spanMs - nowMs;
  const apartLeftMs = previous === undefined ? 0 : previous.lastAtMs + settings.sightingsApartMs - nowMs;
  const waitMs = Math.max(
    Math.ceil(spanLeftMs / Math.max(1, missing)),
    missing > 0 ? apartLeftMs : 0,
    missing > 1 ? 0 : allowedInMs(input),
  );
  return waitMs > 0 ? waitMs : settings.sightingsApartMs;
}

/** What only the last look-up has to wait for: the Node's age and its scope. */
function allowedInMs({ status, lookup, settings, observation, nowMs }: RuleInput): number {
  const ageLeftMs = status === 'not-found' ? settings.notFoundMinAgeMs + 1 - observation.ageMs : 0;
  const { retryInMs } = permissionOf(lookup.scope, { uid: observation.uid, status }, settings, nowMs);
  return Math.max(ageLeftMs, retryInMs ?? 0);
}

function outcomeOf(
  input: RuleInput,
  failed: readonly RuleResult[],
  action: LifecycleAction,
): Pick<LifecycleDecision, 'record' | 'scope' | 'report' | 'reason'> {
  const { record, status, lookup, observation, nowMs } = input;
  const reason = reasonOf(input, failed, action);
  const kind = action.do === 'delete' ? 'DeletingNode' : reportKindOf(status, failed);
  // No deletion without its condition on the Node, which something else may have removed.
  const isReported = kind === record.reported && (action.do !== 'delete' || kind === observation.reported);
  return {
    record: kind === undefined ? record : { ...record, reported: kind },
    scope:
      action.do === 'delete' ? recordDeletion(lookup.scope, { uid: observation.uid, status }, nowMs) : lookup.scope,
    ...(kind !== undefined && !isReported && { report: createReport(kind, reason) }),
    reason,
  };
}

/** First the reason for doing nothing, last what is waited for. */
function reasonOf(input: RuleInput, failed: readonly RuleResult[], action: LifecycleAction): string {
  const sightings = describeSightings(input);
  if (action.do === 'delete') return `${sightings}: the Node is deleted`;
  if (action.do !== 'wait') return `the cloud reports ${input.status}, which does not count: ${actualOf(failed[0])}`;
  const others = failed.filter(({ rule }) => rule !== 'sightings' && rule !== 'span').map(actualOf);
  return [sightings, ...others, `next look-up in ${Math.ceil(action.nextLookupInMs / 1000)} s`].join('; ');
}

function actualOf(result: RuleResult | undefined): string {
  return result === undefined ? '' : result.actual;
}

/** What keeps a Node whose instance is gone, the most important for an operator first. */
const reportKindByRule: readonly (readonly [rule: string, kind: ReportKind | undefined])[] = [
  ['canary', undefined],
  ['known', 'InstanceNeverFound'],
  // Before `asked-since`: a Ready Node is alive now, so no look-up can be later than that.
  ['not-ready', 'InstanceGoneButReady'],
  ['asked-since', undefined],
  ['not-being-deleted', undefined],
  ['sightings', 'InstanceGone'],
  ['span', 'InstanceGone'],
  ['age', 'InstanceGone'],
];

function reportKindOf(status: GoneStatus, failed: readonly RuleResult[]): ReportKind | undefined {
  const rules = new Set(failed.map(({ rule }) => rule));
  const match = reportKindByRule.find(([rule]) => rules.has(rule));
  if (match !== undefined) return match[1];
  // Only the scope's permission is missing: the breaker stops deletions, the rate limit only delays them.
  return status === 'not-found' ? 'DeletionsStopped' : 'InstanceGone';
}
