import t from 'tap';
import type { LookupResult, NodeUid } from '../../../clouds/cloud.ts';
import { createObserve, observe } from '../../../ccm/lifecycle/observe.ts';
import type { Observe } from '../../../ccm/lifecycle/observe.ts';
import { lifecyclePolicy } from '../../../ccm/lifecycle/policy.ts';
import type { LifecyclePolicy } from '../../../ccm/lifecycle/policy.ts';
import type { RuleInput } from '../../../ccm/lifecycle/rules.ts';
import { observeScope, unconfirmedNodes, confirmationTokenFor } from '../../../ccm/lifecycle/scope.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { alphabets } from './alphabets.ts';
import type { Alphabet } from './alphabets.ts';
import { explore } from './explore.ts';
import { policyWithout, implementationFor } from './implementation.ts';
import type { Implementation } from './model.ts';

/** A mistake that somebody could make, and what the specification has to say to it. */
interface PlantedFault {
  readonly name: string;
  readonly foundBy: Alphabet;
  readonly change: Partial<Implementation>;
  readonly violation: RegExp;
}

const { node, slowAnswers, clockBack, breaker, pace } = alphabets;
const tooLittleEvidence = /often enough/;
const tooManyMissing = /too many are missing/;

const faults: readonly PlantedFault[] = [
  { name: 'the UID is dropped', foundBy: node, change: { observe: dropUid }, violation: /UID/ },
  {
    name: 'a new Node takes over the sightings',
    foundBy: node,
    change: without('another-node'),
    violation: tooLittleEvidence,
  },
  {
    name: 'one sighting fewer',
    foundBy: node,
    change: withNumbers(node, { notFoundSightings: 2 }),
    violation: tooLittleEvidence,
  },
  {
    name: 'terminated at first sight',
    foundBy: node,
    change: without('sightings', 'span'),
    violation: tooLittleEvidence,
  },
  {
    name: 'the spacing is ignored',
    foundBy: node,
    change: withNumbers(node, { sightingsApartMs: 0 }),
    violation: tooLittleEvidence,
  },
  { name: 'the span is ignored', foundBy: node, change: without('span'), violation: tooLittleEvidence },
  { name: 'the canary is ignored', foundBy: node, change: without('canary'), violation: /canary/ },
  {
    name: 'terminated is believed with a bad canary',
    foundBy: node,
    change: withCanary(({ status, lookup }) => status === 'terminated' || lookup.canary.found > 0),
    violation: /canary/,
  },
  {
    name: 'an empty response counts if access is verified',
    foundBy: node,
    change: withCanary(({ lookup }) => lookup.canary.found > 0 || lookup.canary.accessVerified === true),
    violation: /canary/,
  },
  {
    name: 'no canary is a good canary',
    foundBy: node,
    change: withCanary(({ lookup }) => lookup.canary.found > 0 || lookup.canary.asked === 0),
    violation: /canary/,
  },
  {
    name: 'unknown is taken for gone',
    foundBy: node,
    change: { observe: unknownIsGone, observeScope: unknownIsMissing },
    violation: /did not say/,
  },
  { name: 'Ready in between is ignored', foundBy: node, change: without('ready'), violation: tooLittleEvidence },
  {
    name: 'what is said of a Ready Node counts',
    foundBy: node,
    change: without('not-ready'),
    violation: tooLittleEvidence,
  },
  { name: 'a Ready Node is deleted', foundBy: node, change: without('ready', 'not-ready'), violation: /Ready/ },
  { name: 'present in between is ignored', foundBy: node, change: without('present'), violation: tooLittleEvidence },
  {
    name: 'ambiguous in between is ignored',
    foundBy: node,
    change: without('ambiguous'),
    violation: tooLittleEvidence,
  },
  { name: 'an old answer counts', foundBy: slowAnswers, change: without('asked-since'), violation: tooLittleEvidence },
  {
    name: 'a clock that goes back is accepted',
    foundBy: clockBack,
    change: without('clock-went-back'),
    violation: tooLittleEvidence,
  },
  {
    name: 'a restart keeps the sightings',
    foundBy: node,
    change: { restart: (state) => state },
    violation: tooLittleEvidence,
  },
  { name: 'the age is ignored', foundBy: node, change: without('age'), violation: /too young/ },
  {
    name: 'the age is enough when it is reached',
    foundBy: node,
    change: withNumbers(node, { notFoundMinAgeMs: node.promised.notFoundMinAgeMs - 1 }),
    violation: /too young/,
  },
  { name: 'a node that was never known is deleted', foundBy: node, change: without('known'), violation: /never known/ },
  {
    name: 'a foreign node is deleted',
    foundBy: node,
    change: { observe: createObserve({ ...lifecyclePolicy, isOurs: () => true }) },
    violation: /not ours/,
  },
  { name: 'the breaker is ignored', foundBy: breaker, change: without('permission'), violation: tooManyMissing },
  {
    name: 'the breaker opens one too late',
    foundBy: breaker,
    change: withNumbers(breaker, { breakerNodes: 2 }),
    violation: tooManyMissing,
  },
  {
    name: 'the breaker looks back not far enough',
    foundBy: breaker,
    change: withNumbers(breaker, { breakerWindowMs: breaker.promised.breakerWindowMs - 1 }),
    violation: tooManyMissing,
  },
  {
    name: 'the breaker closes by itself',
    foundBy: breaker,
    change: { observeScope: closeAgain },
    violation: tooManyMissing,
  },
  {
    name: 'the breaker forgets who was deleted',
    foundBy: breaker,
    change: { observeScope: forgetDeleted },
    violation: tooManyMissing,
  },
  { name: 'any token confirms', foundBy: breaker, change: { observeScope: acceptAnyToken }, violation: tooManyMissing },
  {
    name: 'a token confirms on a Node that is not missing',
    foundBy: breaker,
    change: { observeScope: acceptTokenOnAnyNode },
    violation: tooManyMissing,
  },
  {
    name: 'the token of an earlier stop confirms again',
    foundBy: breaker,
    change: { observeScope: reuseTokens },
    violation: tooManyMissing,
  },
  { name: 'the pace is ignored', foundBy: pace, change: without('permission'), violation: /within the window/ },
  {
    name: 'the pace is one too fast',
    foundBy: pace,
    change: withNumbers(pace, { terminatedNodesPerWindow: 2 }),
    violation: /within the window/,
  },
];

for (const { name, foundBy, change: plant, violation: wrong } of faults) {
  await t.test(`planted and caught: ${name}`, async (t) => {
    const found = explore({ ...implementationFor(foundBy), ...plant }, foundBy);
    t.match(found.violation ?? 'nothing wrong was found', wrong);
  });
}

function without(...names: readonly string[]): Partial<Implementation> {
  return { observe: createObserve(policyWithout(...names)) };
}

function withNumbers({ promised }: Alphabet, changed: Partial<LifecycleSettings>): Partial<Implementation> {
  return { settings: { ...promised, ...changed } };
}

function withCanary(holds: (evidence: RuleInput) => boolean): Partial<Implementation> {
  const sightingRules = lifecyclePolicy.sightingRules.map((rule) =>
    rule.name === 'canary' ? { ...rule, holds } : rule,
  );
  const changed: LifecyclePolicy = { ...lifecyclePolicy, sightingRules };
  return { observe: createObserve(changed) };
}

function dropUid(...given: Parameters<Observe>): ReturnType<Observe> {
  const decision = observe(...given);
  return decision.action.do === 'delete' ? { ...decision, action: { ...decision.action, uid: '' } } : decision;
}

function unknownIsGone(...[record, observation, settings, nowMs]: Parameters<Observe>): ReturnType<Observe> {
  const { lookup, ...state } = observation;
  const changed = lookup && { lookup: { ...lookup, result: asGone(lookup.result) } };
  return observe(record, { ...state, ...changed }, settings, nowMs);
}

type ObserveScope = typeof observeScope;

function unknownIsMissing(...[record, lookup, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const results = new Map<NodeUid, LookupResult>([...lookup.results].map(([uid, result]) => [uid, asGone(result)]));
  return observeScope(record, { ...lookup, results }, settings, nowMs);
}

function asGone(result: LookupResult): LookupResult {
  return result.status === 'unknown' ? { status: 'not-found', evidence: 'no answer' } : result;
}

function closeAgain(...[record, ...rest]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  return observeScope({ ...record, open: false }, ...rest);
}

function forgetDeleted(...[record, lookup, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const missing = new Map([...record.missing].filter(([uid]) => lookup.known.has(uid)));
  return observeScope({ ...record, missing }, lookup, settings, nowMs);
}

function acceptAnyToken(...[record, lookup, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const next = observeScope(record, lookup, settings, nowMs);
  const nodes = lookup.confirmed.size > 0 ? unconfirmedNodes(next) : [];
  const confirmed = new Map(nodes.map((uid) => [uid, confirmationTokenFor(next)]));
  return observeScope(record, { ...lookup, confirmed }, settings, nowMs);
}

function acceptTokenOnAnyNode(
  ...[record, lookup, settings, nowMs]: Parameters<ObserveScope>
): ReturnType<ObserveScope> {
  const next = observeScope(record, lookup, settings, nowMs);
  const tokens = [...lookup.confirmed.values()];
  const confirmed = new Map(unconfirmedNodes(next).flatMap((uid) => tokens.map((token) => [uid, token] as const)));
  return observeScope(record, { ...lookup, confirmed }, settings, nowMs);
}

function reuseTokens(...given: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  return { ...observeScope(...given), stopCount: 1 };
}
