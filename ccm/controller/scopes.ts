import { randomInt } from 'node:crypto';
import type { NodeUid } from '../../clouds/index.ts';
import type { Failure } from '../../lib/failure.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { createTroubleLog } from '../../lib/log/trouble-log.ts';
import type { TroubleLog } from '../../lib/log/trouble-log.ts';
import { keys } from '../../schemas/keys.ts';
import { beginScope, counts, observeScope, wordFor } from '../lifecycle/scope.ts';
import type { ScopeRecord } from '../lifecycle/scope.ts';
import type { BatchAnswer } from '../look-up/look.ts';
import { createScopeGate } from '../look-up/scope-gate.ts';
import type { ScopeGate } from '../look-up/scope-gate.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import type { Claim } from '../node/ownership.ts';
import { isWitness } from './batches.ts';
import type { Dependencies } from './dependencies.ts';
import { claimsOf } from './tracked.ts';
import type { Tracked } from './tracked.ts';

/** What one leader remembers of each scope. */
export interface Scopes {
  gateOf(key: string): ScopeGate;
  recordOf(key: string): ScopeRecord;
  keep(record: ScopeRecord): void;
  /** Has to be told of every answer before any of its nodes is decided on. */
  told(claim: Claim, answer: BatchAnswer, nodes: ReadonlyMap<NodeUid, Tracked>): void;
  /** Ready nodes of the scope that are not asked for anyway. */
  pickCanaries(nodes: Iterable<Tracked>, key: string, asked: readonly Tracked[]): readonly Tracked[];
  /** Does the log know of this failure already, as that of a whole scope? */
  wasSaid(failure: Failure): boolean;
  all(): Iterable<ScopeRecord>;
}

/** Too many to be guessed; the most that `randomInt` gives. */
const mostStops = 2 ** 48 - 1;

export function createScopes({ clock, random, settings, measures, log }: Dependencies): Scopes {
  const gates = new Map<string, ScopeGate>();
  const records = new Map<string, ScopeRecord>();
  const troubles = new Map<string, TroubleLog>();
  const said = new WeakSet<Failure>();
  const gateOf = (key: string): ScopeGate => remembered(gates, key, () => createScopeGate(random));
  const recordOf = (key: string): ScopeRecord =>
    remembered(records, key, () => beginScope(key, clock.monotonicMs(), randomInt(mostStops)));
  /** A kubelet can write any region on its Node. A scope that no Node names goes as soon as nothing about it counts. */
  const forgetUnused = (nodes: ReadonlyMap<NodeUid, Tracked>, nowMs: number): void => {
    const used = new Set([...nodes.values()].flatMap(claimsOf).map(({ scope }) => scope.key));
    for (const key of new Set([...gates.keys(), ...records.keys()])) {
      const isWaiting = (gates.get(key)?.waitMs(nowMs) ?? 0) > 0;
      if (used.has(key) || isWaiting || counts(records.get(key), settings.lifecycle, nowMs)) continue;
      gates.delete(key);
      troubles.delete(key);
      if (records.delete(key)) measures.breaker(key, false);
    }
  };
  return {
    gateOf,
    recordOf,
    keep: (record) => void records.set(record.key, record),
    told: ({ cloud, scope }, { findings, canary, failure }, nodes) => {
      const nowMs = clock.monotonicMs();
      measures.looked(cloud.name, scope.key, failure === undefined ? 'success' : 'error');
      if (failure === undefined) gateOf(scope.key).answered();
      else gateOf(scope.key).failed(failure, nowMs);
      const trouble = remembered(troubles, scope.key, () => troubleOf(cloud.name, scope.key, { clock, log }));
      if (failure === undefined) trouble.over();
      else {
        trouble.met(failureFields(failure));
        said.add(failure);
      }
      const look = { ...nodesOf(scope.key, nodes), findings, canary };
      const before = recordOf(scope.key);
      const after = observeScope(before, look, settings.lifecycle, nowMs);
      records.set(scope.key, after);
      measures.breaker(scope.key, after.open);
      // With every further Node the word is another one.
      const isNews = after.open && (!before.open || wordFor(before) !== wordFor(after));
      if (isNews) log.standard('deletionsStopped', { scope: scope.key, ...breakerFields(after) });
      if (before.open && !after.open) log.standard('deletionsResumed', { scope: scope.key });
      forgetUnused(nodes, nowMs);
    },
    pickCanaries: (nodes, key, asked) => pick(nodes, { key, asked, count: settings.lifecycle.canaryNodes, random }),
    wasSaid: (failure) => said.has(failure),
    all: () => records.values(),
  };
}

interface TroubleParts {
  readonly clock: Dependencies['clock'];
  readonly log: Dependencies['log'];
}

function troubleOf(cloud: string, scope: string, { clock, log }: TroubleParts): TroubleLog {
  return createTroubleLog({
    clock,
    fails: (failure) => log.standard('cloudFailing', { cloud, scope, ...failure }),
    failsStill: (failure) => log.verbose('Instances cannot be looked up yet', { cloud, scope, ...failure }),
    works: () => log.standard('cloudRecovered', { cloud, scope }),
  });
}

function remembered<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

interface NodesOfScope {
  readonly known: ReadonlySet<NodeUid>;
  readonly confirmed: ReadonlyMap<NodeUid, string>;
}

/** The nodes that were once known here, and the confirmations that are written on them. */
function nodesOf(key: string, nodes: ReadonlyMap<NodeUid, Tracked>): NodesOfScope {
  const known = new Set<NodeUid>();
  const confirmed = new Map<NodeUid, string>();
  for (const tracked of nodes.values()) {
    if (!isOf(tracked, key) || tracked.facts.providerId === undefined || isUninitialized(tracked.node)) continue;
    known.add(tracked.uid);
    const word = tracked.node.metadata.annotations?.[keys.confirmDeletions];
    if (word !== undefined) confirmed.set(tracked.uid, word);
  }
  return { known, confirmed };
}

function isOf(tracked: Tracked, key: string): boolean {
  return claimsOf(tracked).some(({ scope }) => scope.key === key);
}

interface Pick {
  readonly key: string;
  readonly asked: readonly Tracked[];
  readonly count: number;
  readonly random: () => number;
}

/** Not always the same ones: a canary that lies would otherwise lie for ever. */
function pick(nodes: Iterable<Tracked>, { key, asked, count, random }: Pick): readonly Tracked[] {
  const askedUids = new Set(asked.map(({ uid }) => uid));
  const witnesses = [...nodes].filter((each) => isWitness(each) && isOf(each, key) && !askedUids.has(each.uid));
  const start = Math.floor(random() * witnesses.length);
  return [...witnesses.slice(start), ...witnesses.slice(0, start)].slice(0, count);
}

function breakerFields(scope: ScopeRecord): { readonly reason: string; readonly hint: string } {
  return {
    reason: 'too many instances are missing at once',
    hint:
      'deletions by not-found go on when the instances are back, or when one of these Nodes is annotated ' +
      `${keys.confirmDeletions}=${wordFor(scope)}`,
  };
}
