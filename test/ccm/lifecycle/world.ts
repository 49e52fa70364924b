import type { Finding, Instance } from '../../../clouds/index.ts';
import type { Canary } from '../../../ccm/lifecycle/canary.ts';
import { confirmationWord } from '../../../ccm/lifecycle/confirmation-word.ts';
import type { Confirmable } from '../../../ccm/lifecycle/confirmation-word.ts';
import type { Action } from '../../../ccm/lifecycle/decision.ts';
import type { Observation } from '../../../ccm/lifecycle/observation.ts';
import type { Observe } from '../../../ccm/lifecycle/observe.ts';
import { noteDeletion, permissionOf } from '../../../ccm/lifecycle/permission.ts';
import type { NodeRecord } from '../../../ccm/lifecycle/record.ts';
import { beginScope, unconfirmedNodes } from '../../../ccm/lifecycle/scope.ts';
import type { observeScope, ScopeRecord } from '../../../ccm/lifecycle/scope.ts';
import type { LifecycleSettings } from '../../../ccm/lifecycle/settings.ts';
import { Failure } from '../../../lib/failure.ts';
import { nothingYet, remember } from './specification.ts';
import type { Fact, Memory, Seen } from './specification.ts';

/** What is explored: the function as it is, or with one fault planted. */
export interface Subject {
  readonly observe: Observe;
  readonly observeScope: typeof observeScope;
  readonly settings: LifecycleSettings;
  readonly restart: (world: World) => World;
}

/** One Node, a neighbour X in the same scope, and the terminated nodes Z of which only the deletions matter. */
export interface World {
  readonly nowMs: number;
  /** Of the Node: 1, 2, … for each that takes the name. */
  readonly generation: number;
  readonly ageMs: number;
  readonly record?: NodeRecord;
  readonly scope: ScopeRecord;
  /** How far the clock is behind what it once said; it goes back again only after it has caught up. */
  readonly behindMs: number;
  readonly neighbourIsNode: boolean;
  readonly deletionsOfZ: number;
  /** What a word stood for that was shown to the operator once. */
  readonly oldWord?: Confirmable;
  readonly memory: Memory;
}

export type Step =
  | { readonly do: 'tick' | 'clock-back' | 'restart' | 'replace' | 'remove-neighbour' | 'delete-z' }
  | ({ readonly do: 'see' } & Sight);

export interface Sight {
  readonly ready: boolean;
  readonly known: boolean;
  readonly ownership: 'ours' | 'foreign';
  readonly said: Seen['said'];
  readonly canary: keyof typeof canaries;
  /** How long before now the question went out. */
  readonly lagMs: number;
  readonly scopeIs: Seen['scopeIs'];
  readonly neighbourSaid: Seen['neighbour']['said'];
  readonly confirm: 'nothing' | 'current' | 'old' | 'current, on a healthy Node';
}

const canaries = {
  good: { asked: 5, found: 1 },
  bad: { asked: 5, found: 0 },
  'bad, yet vouched': { asked: 5, found: 0, vouched: true },
  'none, vouched': { asked: 0, found: 0, vouched: true },
  'none, not vouched': { asked: 0, found: 0, vouched: false },
  'none, nobody asked': { asked: 0, found: 0 },
} as const satisfies Record<string, Canary>;
const goodCanaries: ReadonlySet<string> = new Set(['good', 'none, vouched']);

export const firstWorld: World = {
  nowMs: 0,
  generation: 1,
  ageMs: 0,
  scope: beginScope('scope', 0),
  behindMs: 0,
  neighbourIsNode: true,
  deletionsOfZ: 0,
  memory: nothingYet,
};

export interface Stepped {
  readonly world: World;
  readonly action?: Action;
  readonly fact?: Seen;
  readonly reason?: string;
}

export function take(world: World, step: Step, subject: Subject, promise: LifecycleSettings): Stepped {
  switch (step.do) {
    case 'tick':
      return { world: letPass(world, 1) };
    case 'clock-back':
      return { world: world.behindMs > 0 ? world : turnClock(world, -1) };
    case 'restart':
      return { world: learn(subject.restart(world), { is: 'restart' }, promise) };
    case 'replace':
      return { world: { ...world, generation: world.generation + 1, ageMs: 0 } };
    case 'remove-neighbour':
      return { world: { ...world, neighbourIsNode: false } };
    case 'delete-z':
      return { world: deleteZ(world, subject, promise) };
    case 'see':
      return see(world, step, subject, promise);
  }
}

export function letPass(world: World, durationMs: number): World {
  return turnClock({ ...world, ageMs: world.ageMs + durationMs }, durationMs);
}

function turnClock(world: World, byMs: number): World {
  return { ...world, nowMs: world.nowMs + byMs, behindMs: Math.max(0, world.behindMs - byMs) };
}

/** All that was remembered is gone. */
export function forget({ record, oldWord, ...rest }: World): World {
  return record === undefined && oldWord === undefined
    ? { ...rest, scope: beginScope('scope', rest.nowMs) }
    : forget(rest);
}

function deleteZ(world: World, { settings }: Subject, promise: LifecycleSettings): World {
  const request = { uid: `Z${world.deletionsOfZ}`, word: 'terminated' } as const;
  if (!permissionOf(world.scope, request, settings, world.nowMs).given) return world;
  const scope = noteDeletion(world.scope, request, world.nowMs);
  const after = { ...world, scope, deletionsOfZ: world.deletionsOfZ + 1 };
  return learn(after, { is: 'pass', uid: request.uid, readingMs: world.nowMs }, promise);
}

function see(world: World, sight: Sight, subject: Subject, promise: LifecycleSettings): Stepped {
  const { settings } = subject;
  const uid = uidOf(world);
  const seenScope = sight.said === 'nothing' ? world.scope : tellScope(world, sight, subject);
  const scope = scopeAs(sight.scopeIs, seenScope, uid, settings);
  const decision = subject.observe(world.record, observationOf(world, sight, scope), settings, world.nowMs);
  const fact = factOf(world, sight);
  const { action, record, reason } = decision;
  const kept = sight.scopeIs === 'as-it-was' ? (decision.scope ?? seenScope) : seenScope;
  const after = learn({ ...world, record, scope: kept, ...oldWordOf(world, kept) }, fact, promise);
  const isPass = action.do === 'delete' && action.word === 'terminated' && sight.scopeIs === 'as-it-was';
  const passed = isPass ? learn(after, { is: 'pass', uid, readingMs: world.nowMs }, promise) : after;
  return { world: passed, action, fact, reason };
}

function tellScope(world: World, sight: Sight, subject: Subject): ScopeRecord {
  const uid = uidOf(world);
  const isKnown = sight.known && sight.ownership === 'ours';
  const known = new Set([...(isKnown ? [uid] : []), ...(world.neighbourIsNode ? ['X'] : [])]);
  const findings = new Map<string, Finding>([[uid, findingOf(sight.said)]]);
  if (sight.neighbourSaid !== 'nothing') findings.set('X', findingOf(sight.neighbourSaid));
  const look = { known, findings, canary: canaries[sight.canary], confirmed: confirmedBy(world, sight) };
  return subject.observeScope(world.scope, look, subject.settings, world.nowMs);
}

/** What is written on Nodes. An operator writes it on the Nodes that it is for. */
function confirmedBy({ scope, oldWord }: World, { confirm }: Sight): ReadonlyMap<string, string> {
  const current = scope.open ? shown(scope) : undefined;
  const written = { nothing: undefined, current, old: oldWord, 'current, on a healthy Node': current }[confirm];
  if (written === undefined) return new Map();
  const nodes = confirm === 'current, on a healthy Node' ? ['healthy'] : written.nodes;
  return new Map(nodes.map((uid) => [uid, confirmationWord(written)]));
}

/** The scope as it is, or as others may have left it: stopped for this Node and more, or with no deletion left. */
function scopeAs(scopeIs: Sight['scopeIs'], scope: ScopeRecord, uid: string, settings: LifecycleSettings): ScopeRecord {
  if (scopeIs === 'as-it-was') return scope;
  const others = Array.from({ length: settings.terminatedNodesPerWindow }, (_, index) => `other-${index}`);
  if (scopeIs === 'slowed') return { ...scope, terminated: new Map(others.map((other) => [other, scope.lastAtMs])) };
  const missing = { lastAtMs: scope.lastAtMs, isNode: true, confirmed: false };
  return { ...scope, open: true, missing: new Map([uid, ...others].map((each) => [each, missing])) };
}

/** The last word that was shown and is no longer. */
function oldWordOf(world: World, after: ScopeRecord): Pick<World, 'oldWord'> {
  const before = shown(world.scope);
  const isOld = world.scope.open && confirmationWord(before) !== confirmationWord(shown(after));
  return isOld ? { oldWord: before } : {};
}

function shown(scope: ScopeRecord): Confirmable {
  return { key: scope.key, stops: scope.stops, nodes: unconfirmedNodes(scope) };
}

function observationOf(world: World, sight: Sight, scope: ScopeRecord): Observation {
  const look = {
    finding: findingOf(sight.said),
    askedAtMs: world.nowMs - sight.lagMs,
    canary: canaries[sight.canary],
    scope,
  };
  return {
    uid: uidOf(world),
    ownership: sight.ownership,
    providerId: 'cloud:///instance',
    uninitialized: !sight.known,
    ready: sight.ready,
    beingDeleted: false,
    ageMs: world.ageMs,
    taints: new Set(),
    ...(sight.said !== 'nothing' && { look }),
  };
}

const instance: Instance = { providerId: 'cloud:///instance', addresses: [], labels: {} };
const failure = new Failure('unavailable', 'the cloud did not answer', { remedy: 'wait' });

const findings: Readonly<Record<Seen['said'], Finding>> = {
  nothing: { is: 'unknown', failure },
  present: { is: 'present', instance, running: true },
  stopped: { is: 'present', instance, running: false },
  terminated: { is: 'gone', word: 'terminated', quote: 'terminated' },
  'not-found': { is: 'gone', word: 'not-found', quote: 'not found' },
  unknown: { is: 'unknown', failure },
  ambiguous: { is: 'ambiguous', candidates: ['one', 'other'] },
};

function findingOf(said: Seen['said']): Finding {
  return findings[said];
}

function factOf(world: World, sight: Sight): Seen {
  const confirmed = {
    current: world.scope.open ? shown(world.scope) : undefined,
    old: world.oldWord,
    nothing: undefined,
    'current, on a healthy Node': undefined,
  };
  const word = confirmed[sight.confirm];
  return {
    is: 'seen',
    uid: uidOf(world),
    readingMs: world.nowMs,
    askedMs: world.nowMs - sight.lagMs,
    ageMs: world.ageMs,
    ready: sight.ready,
    known: sight.known,
    ours: sight.ownership === 'ours',
    said: sight.said,
    canaryGood: goodCanaries.has(sight.canary),
    scopeIs: sight.scopeIs,
    neighbour: { said: sight.neighbourSaid, isNode: world.neighbourIsNode },
    ...(word && { confirmed: { nodes: word.nodes, stops: word.stops } }),
  };
}

function uidOf({ generation }: World): string {
  return `N${generation}`;
}

function learn(world: World, fact: Fact, promise: LifecycleSettings): World {
  return { ...world, memory: remember(world.memory, fact, promise) };
}
