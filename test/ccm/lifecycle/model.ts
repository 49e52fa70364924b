import type { Instance, LookupResult } from '../../../clouds/cloud.ts';
import type { Canary } from '../../../ccm/lifecycle/canary.ts';
import type { LifecycleAction } from '../../../ccm/lifecycle/decision.ts';
import type { Observation } from '../../../ccm/lifecycle/observation.ts';
import type { Observe } from '../../../ccm/lifecycle/observe.ts';
import { recordDeletion, permissionOf } from '../../../ccm/lifecycle/permission.ts';
import type { NodeRecord } from '../../../ccm/lifecycle/record.ts';
import { confirmationToken, createScopeRecord, unconfirmedNodes } from '../../../ccm/lifecycle/scope.ts';
import type { ConfirmationSubject, observeScope, ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { Failure } from '../../../lib/failure.ts';
import { emptyHistory, appendEvent } from './specification.ts';
import type { HistoryEvent, EventHistory, ObservedEvent } from './specification.ts';

/** What is explored: the function as it is, or with one fault planted. */
export interface Implementation {
  readonly observe: Observe;
  readonly observeScope: typeof observeScope;
  readonly settings: LifecycleSettings;
  readonly restart: (world: ModelState) => ModelState;
}

/** One Node, a neighbour X in the same scope, and the terminated nodes Z of which only the deletions matter. */
export interface ModelState {
  readonly nowMs: number;
  /** Of the Node: 1, 2, … for each that takes the name. */
  readonly generation: number;
  readonly ageMs: number;
  readonly record?: NodeRecord;
  readonly scope: ScopeRecord;
  /** How far the clock is behind its highest value. It goes back again only after it has caught up. */
  readonly behindMs: number;
  readonly neighbourIsNode: boolean;
  readonly zDeletions: number;
  /** What a word stood for that was shown to the operator once. */
  readonly oldConfirmation?: ConfirmationSubject;
  readonly history: EventHistory;
}

export type ModelStep =
  | { readonly do: 'tick' | 'clock-back' | 'restart' | 'replace' | 'remove-neighbour' | 'delete-z' }
  | ({ readonly do: 'see' } & ModelObservation);

export interface ModelObservation {
  readonly ready: boolean;
  readonly known: boolean;
  readonly ownership: 'ours' | 'foreign';
  readonly status: ObservedEvent['status'];
  readonly canary: keyof typeof canaries;
  /** How long before now the question went out. */
  readonly lagMs: number;
  readonly scopeState: ObservedEvent['scopeState'];
  readonly neighbourStatus: ObservedEvent['neighbour']['status'];
  readonly confirm: 'nothing' | 'current' | 'old' | 'current, on a healthy Node';
}

const canaries = {
  good: { asked: 5, found: 1 },
  bad: { asked: 5, found: 0 },
  'bad, yet verified': { asked: 5, found: 0, accessVerified: true },
  'none, verified': { asked: 0, found: 0, accessVerified: true },
  'none, not verified': { asked: 0, found: 0, accessVerified: false },
  'none, nobody asked': { asked: 0, found: 0 },
} as const satisfies Record<string, Canary>;
const goodCanaries: ReadonlySet<string> = new Set(['good', 'none, verified']);

export const initialState: ModelState = {
  nowMs: 0,
  generation: 1,
  ageMs: 0,
  scope: createScopeRecord('scope', 0),
  behindMs: 0,
  neighbourIsNode: true,
  zDeletions: 0,
  history: emptyHistory,
};

export interface StepResult {
  readonly state: ModelState;
  readonly action?: LifecycleAction;
  readonly observed?: ObservedEvent;
  readonly reason?: string;
}

export function applyStep(
  state: ModelState,
  step: ModelStep,
  implementation: Implementation,
  promised: LifecycleSettings,
): StepResult {
  switch (step.do) {
    case 'tick':
      return { state: passTime(state, 1) };
    case 'clock-back':
      return { state: state.behindMs > 0 ? state : moveClock(state, -1) };
    case 'restart':
      return { state: recordEvent(implementation.restart(state), { is: 'restart' }, promised) };
    case 'replace':
      return { state: { ...state, generation: state.generation + 1, ageMs: 0 } };
    case 'remove-neighbour':
      return { state: { ...state, neighbourIsNode: false } };
    case 'delete-z':
      return { state: deleteZ(state, implementation, promised) };
    case 'see':
      return observeNode(state, step, implementation, promised);
  }
}

export function passTime(state: ModelState, durationMs: number): ModelState {
  return moveClock({ ...state, ageMs: state.ageMs + durationMs }, durationMs);
}

function moveClock(state: ModelState, byMs: number): ModelState {
  return { ...state, nowMs: state.nowMs + byMs, behindMs: Math.max(0, state.behindMs - byMs) };
}

/** All that was remembered is gone. */
export function clearMemory({ record, oldConfirmation, ...rest }: ModelState): ModelState {
  return record === undefined && oldConfirmation === undefined
    ? { ...rest, scope: createScopeRecord('scope', rest.nowMs) }
    : clearMemory(rest);
}

function deleteZ(state: ModelState, { settings }: Implementation, promised: LifecycleSettings): ModelState {
  const request = { uid: `Z${state.zDeletions}`, status: 'terminated' } as const;
  if (!permissionOf(state.scope, request, settings, state.nowMs).given) return state;
  const scope = recordDeletion(state.scope, request, state.nowMs);
  const after = { ...state, scope, zDeletions: state.zDeletions + 1 };
  return recordEvent(after, { is: 'pass', uid: request.uid, readingMs: state.nowMs }, promised);
}

function observeNode(
  state: ModelState,
  observation: ModelObservation,
  implementation: Implementation,
  promised: LifecycleSettings,
): StepResult {
  const { settings } = implementation;
  const uid = uidOf(state);
  const observedScope =
    observation.status === 'nothing' ? state.scope : observeScopeOf(state, observation, implementation);
  const scope = scopeAs(observation.scopeState, observedScope, uid, settings);
  const decision = implementation.observe(
    state.record,
    observationOf(state, observation, scope),
    settings,
    state.nowMs,
  );
  const observed = observedOf(state, observation);
  const { action, record, reason } = decision;
  const kept = observation.scopeState === 'as-it-was' ? (decision.scope ?? observedScope) : observedScope;
  const after = recordEvent({ ...state, record, scope: kept, ...oldConfirmationOf(state, kept) }, observed, promised);
  const isPass = action.do === 'delete' && action.status === 'terminated' && observation.scopeState === 'as-it-was';
  const passed = isPass ? recordEvent(after, { is: 'pass', uid, readingMs: state.nowMs }, promised) : after;
  return { state: passed, action, observed, reason };
}

function observeScopeOf(state: ModelState, observation: ModelObservation, implementation: Implementation): ScopeRecord {
  const uid = uidOf(state);
  const isKnown = observation.known && observation.ownership === 'ours';
  const known = new Set([...(isKnown ? [uid] : []), ...(state.neighbourIsNode ? ['X'] : [])]);
  const results = new Map<string, LookupResult>([[uid, resultOf(observation.status)]]);
  if (observation.neighbourStatus !== 'nothing') results.set('X', resultOf(observation.neighbourStatus));
  const lookup = { known, results, canary: canaries[observation.canary], confirmed: confirmedBy(state, observation) };
  return implementation.observeScope(state.scope, lookup, implementation.settings, state.nowMs);
}

/** What is written on Nodes. An operator writes it on the Nodes that it is for. */
function confirmedBy(
  { scope, oldConfirmation }: ModelState,
  { confirm }: ModelObservation,
): ReadonlyMap<string, string> {
  const current = scope.open ? currentConfirmation(scope) : undefined;
  const written = { nothing: undefined, current, old: oldConfirmation, 'current, on a healthy Node': current }[confirm];
  if (written === undefined) return new Map();
  const nodes = confirm === 'current, on a healthy Node' ? ['healthy'] : written.nodes;
  return new Map(nodes.map((uid) => [uid, confirmationToken(written)]));
}

/** The scope as it is, or as others may have left it: stopped for this Node and more, or with no deletion left. */
function scopeAs(
  scopeState: ModelObservation['scopeState'],
  scope: ScopeRecord,
  uid: string,
  settings: LifecycleSettings,
): ScopeRecord {
  if (scopeState === 'as-it-was') return scope;
  const others = Array.from({ length: settings.terminatedNodesPerWindow }, (_, index) => `other-${index}`);
  if (scopeState === 'slowed') return { ...scope, terminated: new Map(others.map((other) => [other, scope.lastAtMs])) };
  const missing = { lastAtMs: scope.lastAtMs, nodeExists: true, confirmed: false };
  return { ...scope, open: true, missing: new Map([uid, ...others].map((each) => [each, missing])) };
}

/** The last word that was shown and is no longer. */
function oldConfirmationOf(state: ModelState, after: ScopeRecord): Pick<ModelState, 'oldConfirmation'> {
  const before = currentConfirmation(state.scope);
  const isOld = state.scope.open && confirmationToken(before) !== confirmationToken(currentConfirmation(after));
  return isOld ? { oldConfirmation: before } : {};
}

function currentConfirmation(scope: ScopeRecord): ConfirmationSubject {
  return { key: scope.key, stopCount: scope.stopCount, nodes: unconfirmedNodes(scope) };
}

function observationOf(state: ModelState, observation: ModelObservation, scope: ScopeRecord): Observation {
  const lookup = {
    result: resultOf(observation.status),
    askedAtMs: state.nowMs - observation.lagMs,
    canary: canaries[observation.canary],
    scope,
  };
  return {
    uid: uidOf(state),
    ownership: observation.ownership,
    providerId: 'cloud:///instance',
    uninitialized: !observation.known,
    ready: observation.ready,
    beingDeleted: false,
    ageMs: state.ageMs,
    taints: new Set(),
    ...(observation.status !== 'nothing' && { lookup }),
  };
}

const instance: Instance = { providerId: 'cloud:///instance', addresses: [], labels: {} };
const failure = new Failure('unavailable', 'the cloud did not answer', { remedy: 'wait' });

const resultFor: Readonly<Record<ObservedEvent['status'], LookupResult>> = {
  nothing: { status: 'unknown', failure },
  running: { status: 'running', instance, by: 'id' },
  stopped: { status: 'stopped', instance, by: 'id' },
  terminated: { status: 'terminated', evidence: 'terminated' },
  'not-found': { status: 'not-found', evidence: 'not found' },
  unknown: { status: 'unknown', failure },
  ambiguous: { status: 'ambiguous', candidates: ['one', 'other'] },
};

function resultOf(status: ObservedEvent['status']): LookupResult {
  return resultFor[status];
}

function observedOf(state: ModelState, observation: ModelObservation): ObservedEvent {
  const confirmed = {
    current: state.scope.open ? currentConfirmation(state.scope) : undefined,
    old: state.oldConfirmation,
    nothing: undefined,
    'current, on a healthy Node': undefined,
  };
  const confirmation = confirmed[observation.confirm];
  return {
    is: 'seen',
    uid: uidOf(state),
    readingMs: state.nowMs,
    askedMs: state.nowMs - observation.lagMs,
    ageMs: state.ageMs,
    ready: observation.ready,
    known: observation.known,
    ours: observation.ownership === 'ours',
    status: observation.status,
    canaryGood: goodCanaries.has(observation.canary),
    scopeState: observation.scopeState,
    neighbour: { status: observation.neighbourStatus, isNode: state.neighbourIsNode },
    ...(confirmation && { confirmed: { nodes: confirmation.nodes, stopCount: confirmation.stopCount } }),
  };
}

function uidOf({ generation }: ModelState): string {
  return `N${generation}`;
}

function recordEvent(state: ModelState, event: HistoryEvent, promised: LifecycleSettings): ModelState {
  return { ...state, history: appendEvent(state.history, event, promised) };
}
