import t from 'tap';
import type { Finding, NodeUid } from '../../../clouds/index.ts';
import { createObserve, observe } from '../../../ccm/lifecycle/observe.ts';
import type { Observe } from '../../../ccm/lifecycle/observe.ts';
import { policy } from '../../../ccm/lifecycle/policy.ts';
import type { Policy } from '../../../ccm/lifecycle/policy.ts';
import type { Evidence } from '../../../ccm/lifecycle/rules.ts';
import { observeScope, unconfirmedNodes, wordFor } from '../../../ccm/lifecycle/scope.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { alphabets } from './alphabets.ts';
import type { Alphabet } from './alphabets.ts';
import { explore } from './explore.ts';
import { policyWithout, subjectFor } from './subject.ts';
import type { Subject } from './world.ts';

/** A mistake that somebody could make, and what the specification has to say to it. */
interface Fault {
  readonly name: string;
  readonly foundBy: Alphabet;
  readonly plant: Partial<Subject>;
  readonly wrong: RegExp;
}

const { node, slowAnswers, clockBack, breaker, pace } = alphabets;
const notProven = /often enough/;
const tooMany = /too many are missing/;

const faults: readonly Fault[] = [
  { name: 'the UID is dropped', foundBy: node, plant: { observe: dropUid }, wrong: /UID/ },
  {
    name: 'a new Node takes over the sightings',
    foundBy: node,
    plant: without('another-node'),
    wrong: notProven,
  },
  {
    name: 'one sighting fewer',
    foundBy: node,
    plant: numbers(node, { notFoundSightings: 2 }),
    wrong: notProven,
  },
  { name: 'terminated at first sight', foundBy: node, plant: without('sightings', 'span'), wrong: notProven },
  { name: 'the spacing is ignored', foundBy: node, plant: numbers(node, { sightingsApartMs: 0 }), wrong: notProven },
  { name: 'the span is ignored', foundBy: node, plant: without('span'), wrong: notProven },
  { name: 'the canary is ignored', foundBy: node, plant: without('canary'), wrong: /canary/ },
  {
    name: 'terminated is believed with a bad canary',
    foundBy: node,
    plant: withCanary(({ word, look }) => word === 'terminated' || look.canary.found > 0),
    wrong: /canary/,
  },
  {
    name: 'an empty answer counts if somebody vouches',
    foundBy: node,
    plant: withCanary(({ look }) => look.canary.found > 0 || look.canary.vouched === true),
    wrong: /canary/,
  },
  {
    name: 'no canary is a good canary',
    foundBy: node,
    plant: withCanary(({ look }) => look.canary.found > 0 || look.canary.asked === 0),
    wrong: /canary/,
  },
  {
    name: 'unknown is taken for gone',
    foundBy: node,
    plant: { observe: unknownIsGone, observeScope: unknownIsMissing },
    wrong: /did not say/,
  },
  { name: 'Ready in between is ignored', foundBy: node, plant: without('ready'), wrong: notProven },
  { name: 'what is said of a Ready Node counts', foundBy: node, plant: without('not-ready'), wrong: notProven },
  { name: 'a Ready Node is deleted', foundBy: node, plant: without('ready', 'not-ready'), wrong: /Ready/ },
  { name: 'present in between is ignored', foundBy: node, plant: without('present'), wrong: notProven },
  { name: 'ambiguous in between is ignored', foundBy: node, plant: without('ambiguous'), wrong: notProven },
  { name: 'an old answer counts', foundBy: slowAnswers, plant: without('asked-since'), wrong: notProven },
  {
    name: 'a clock that goes back is accepted',
    foundBy: clockBack,
    plant: without('clock-went-back'),
    wrong: notProven,
  },
  { name: 'a restart keeps the sightings', foundBy: node, plant: { restart: (world) => world }, wrong: notProven },
  { name: 'the age is ignored', foundBy: node, plant: without('age'), wrong: /too young/ },
  {
    name: 'the age is enough when it is reached',
    foundBy: node,
    plant: numbers(node, { notFoundMinAgeMs: node.promise.notFoundMinAgeMs - 1 }),
    wrong: /too young/,
  },
  { name: 'a node that was never known is deleted', foundBy: node, plant: without('known'), wrong: /never known/ },
  {
    name: 'a foreign node is deleted',
    foundBy: node,
    plant: { observe: createObserve({ ...policy, isOurs: () => true }) },
    wrong: /not ours/,
  },
  { name: 'the breaker is ignored', foundBy: breaker, plant: without('permission'), wrong: tooMany },
  {
    name: 'the breaker opens one too late',
    foundBy: breaker,
    plant: numbers(breaker, { breakerNodes: 2 }),
    wrong: tooMany,
  },
  {
    name: 'the breaker looks back not far enough',
    foundBy: breaker,
    plant: numbers(breaker, { breakerWindowMs: breaker.promise.breakerWindowMs - 1 }),
    wrong: tooMany,
  },
  { name: 'the breaker closes by itself', foundBy: breaker, plant: { observeScope: closeAgain }, wrong: tooMany },
  {
    name: 'the breaker forgets who was deleted',
    foundBy: breaker,
    plant: { observeScope: forgetDeleted },
    wrong: tooMany,
  },
  { name: 'any word confirms', foundBy: breaker, plant: { observeScope: takeAnyWord }, wrong: tooMany },
  {
    name: 'a word confirms on a Node that is not missing',
    foundBy: breaker,
    plant: { observeScope: takeWordOnAnyNode },
    wrong: tooMany,
  },
  {
    name: 'a word of an earlier stop confirms again',
    foundBy: breaker,
    plant: { observeScope: reuseWords },
    wrong: tooMany,
  },
  { name: 'the pace is ignored', foundBy: pace, plant: without('permission'), wrong: /within the window/ },
  {
    name: 'the pace is one too fast',
    foundBy: pace,
    plant: numbers(pace, { terminatedNodesPerWindow: 2 }),
    wrong: /within the window/,
  },
];

for (const { name, foundBy, plant, wrong } of faults) {
  await t.test(`planted and caught: ${name}`, async (t) => {
    const found = explore({ ...subjectFor(foundBy), ...plant }, foundBy);
    t.match(found.wrong ?? 'nothing wrong was found', wrong);
  });
}

function without(...names: readonly string[]): Partial<Subject> {
  return { observe: createObserve(policyWithout(...names)) };
}

function numbers({ promise }: Alphabet, changed: Partial<LifecycleSettings>): Partial<Subject> {
  return { settings: { ...promise, ...changed } };
}

function withCanary(holds: (evidence: Evidence) => boolean): Partial<Subject> {
  const sightingRules = policy.sightingRules.map((rule) => (rule.name === 'canary' ? { ...rule, holds } : rule));
  const changed: Policy = { ...policy, sightingRules };
  return { observe: createObserve(changed) };
}

function dropUid(...given: Parameters<Observe>): ReturnType<Observe> {
  const decision = observe(...given);
  return decision.action.do === 'delete' ? { ...decision, action: { ...decision.action, uid: '' } } : decision;
}

function unknownIsGone(...[record, observation, settings, nowMs]: Parameters<Observe>): ReturnType<Observe> {
  const { look, ...state } = observation;
  const seen = look && { look: { ...look, finding: asGone(look.finding) } };
  return observe(record, { ...state, ...seen }, settings, nowMs);
}

type ObserveScope = typeof observeScope;

function unknownIsMissing(...[record, look, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const findings = new Map<NodeUid, Finding>([...look.findings].map(([uid, finding]) => [uid, asGone(finding)]));
  return observeScope(record, { ...look, findings }, settings, nowMs);
}

function asGone(finding: Finding): Finding {
  return finding.is === 'unknown' ? { is: 'gone', word: 'not-found', quote: 'no answer' } : finding;
}

function closeAgain(...[record, ...rest]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  return observeScope({ ...record, open: false }, ...rest);
}

function forgetDeleted(...[record, look, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const missing = new Map([...record.missing].filter(([uid]) => look.known.has(uid)));
  return observeScope({ ...record, missing }, look, settings, nowMs);
}

function takeAnyWord(...[record, look, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const next = observeScope(record, look, settings, nowMs);
  const nodes = look.confirmed.size > 0 ? unconfirmedNodes(next) : [];
  const confirmed = new Map(nodes.map((uid) => [uid, wordFor(next)]));
  return observeScope(record, { ...look, confirmed }, settings, nowMs);
}

function takeWordOnAnyNode(...[record, look, settings, nowMs]: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  const next = observeScope(record, look, settings, nowMs);
  const words = [...look.confirmed.values()];
  const confirmed = new Map(unconfirmedNodes(next).flatMap((uid) => words.map((word) => [uid, word] as const)));
  return observeScope(record, { ...look, confirmed }, settings, nowMs);
}

function reuseWords(...given: Parameters<ObserveScope>): ReturnType<ObserveScope> {
  return { ...observeScope(...given), stops: 1 };
}
