import { randomInt } from 'node:crypto';
import type { LookupResult, NodeUid } from '../../clouds/index.ts';
import type { Failure } from '../../lib/failure.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import { openFailureLog } from '../../lib/log/failure-log.ts';
import type { FailureLog } from '../../lib/log/failure-log.ts';
import { keys } from '../../schemas/keys.ts';
import type { Canary } from '../lifecycle/canary.ts';
import { createScopeRecord, isStillRelevant, observeScope, confirmationTokenFor } from '../lifecycle/scope.ts';
import type { ScopeRecord } from '../lifecycle/scope.ts';
import { createScopeRateLimiter, isOwnLimit } from './scope-rate-limiter.ts';
import type { ScopeRateLimiter } from './scope-rate-limiter.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { recordLeaseEvent } from './node-reports.ts';
import type { CloudScope } from './ownership.ts';
import { canBeCanary } from './batches.ts';
import type { ControllerDependencies } from './dependencies.ts';
import { cloudScopesOf } from './tracked-node.ts';
import type { TrackedNode } from './tracked-node.ts';

export interface LookupResponse {
  readonly results: ReadonlyMap<NodeUid, LookupResult>;
  readonly canary: Canary;
  /** Present if no request succeeded; every result is `unknown` then. */
  readonly failure?: Failure;
  /** One of several requests was throttled: the whole scope has to be called less. */
  readonly throttled?: Failure;
}

/** The memory of each scope, during one leadership. */
export interface Scopes {
  rateLimiterOf(key: string): ScopeRateLimiter;
  recordOf(key: string): ScopeRecord;
  setRecord(record: ScopeRecord): void;
  /** Records a response, before any of its nodes is decided on. */
  recordLookup(claim: CloudScope, answer: LookupResponse, nodes: ReadonlyMap<NodeUid, TrackedNode>): void;
  /** Some Ready nodes of the scope. */
  pickCanaries(nodes: Iterable<TrackedNode>, key: string): readonly TrackedNode[];
  /** Whether this failure was logged as that of a whole scope. */
  wasLogged(failure: Failure): boolean;
  all(): Iterable<ScopeRecord>;
  /** When the last look-up of each scope succeeded; 0: none did. */
  lastSuccesses(): readonly LastSuccess[];
}

export interface LastSuccess {
  readonly cloud: string;
  readonly scope: string;
  readonly atWallMs: number;
  /** The last look-up failed. */
  readonly failure?: Failure | undefined;
}

/** Too many to be guessed; the maximum of `randomInt`. */
const maxStopCount = 2 ** 48 - 1;

export function createScopes(dependencies: ControllerDependencies): Scopes {
  const { clock, random, settings, metrics, log } = dependencies;
  const rateLimiters = new Map<string, ScopeRateLimiter>();
  const records = new Map<string, ScopeRecord>();
  const failureLogs = new Map<string, FailureLog>();
  const lastSuccesses = new Map<string, LastSuccess>();
  const loggedFailures = new WeakSet<Failure>();
  const rateLimiterOf = (key: string): ScopeRateLimiter =>
    getOrCreate(rateLimiters, key, () => createScopeRateLimiter(random));
  const recordOf = (key: string): ScopeRecord =>
    getOrCreate(records, key, () => createScopeRecord(key, clock.monotonicMs(), randomInt(maxStopCount)));
  /** A kubelet can write any region on its Node. A scope that no Node names is removed as soon as it cannot matter. */
  const forgetUnused = (nodes: ReadonlyMap<NodeUid, TrackedNode>, nowMs: number): void => {
    const used = new Set([...nodes.values()].flatMap(cloudScopesOf).map(({ scope }) => scope.key));
    for (const key of new Set([...rateLimiters.keys(), ...records.keys()])) {
      // Look-ups can still be under way with it, and a new one would have all tokens again.
      const isIdle = rateLimiters.get(key)?.isIdle(nowMs) ?? true;
      if (used.has(key) || !isIdle || isStillRelevant(records.get(key), settings.lifecycle, nowMs)) continue;
      rateLimiters.delete(key);
      failureLogs.delete(key);
      lastSuccesses.delete(key);
      if (records.delete(key)) metrics.setBreaker(key, false);
    }
  };
  const countLookup = (of: Pick<LastSuccess, 'cloud' | 'scope'>, failure?: Failure, throttled?: Failure): void => {
    metrics.countLookup(of, { failure, throttled });
    const before = { atWallMs: lastSuccesses.get(of.scope)?.atWallMs ?? 0, failure };
    lastSuccesses.set(of.scope, { ...of, ...(failure === undefined ? { atWallMs: clock.wallMs() } : before) });
  };
  return {
    rateLimiterOf,
    recordOf,
    setRecord: (record) => void records.set(record.key, record),
    recordLookup: ({ cloud, scope }, { results, canary, failure, throttled = failure }, nodes) => {
      const nowMs = clock.monotonicMs();
      countLookup({ cloud: cloud.name, scope: scope.key }, failure ?? failureOfAll(results), throttled);
      recordOutcome(rateLimiterOf(scope.key), throttled, nowMs);
      const failureLog = getOrCreate(failureLogs, scope.key, () => failureLogFor(cloud.name, scope.key, dependencies));
      if (failure === undefined) failureLog.recovered();
      else {
        failureLog.failed(failureFields(failure));
        loggedFailures.add(failure);
      }
      const lookup = { ...nodesOf(scope.key, nodes), results, canary };
      const before = recordOf(scope.key);
      const after = observeScope(before, lookup, settings.lifecycle, nowMs);
      records.set(scope.key, after);
      metrics.setBreaker(scope.key, after.open);
      // The token changes with each further Node.
      const hasChanged = after.open && (!before.open || confirmationTokenFor(before) !== confirmationTokenFor(after));
      if (hasChanged) log.standard('deletionsStopped', { scope: scope.key, ...breakerFields(after) });
      if (before.open && !after.open) log.standard('deletionsResumed', { scope: scope.key });
      forgetUnused(nodes, nowMs);
    },
    pickCanaries: (nodes, key) => chooseCanaries(nodes, { key, count: settings.lifecycle.canaryNodes, random }),
    wasLogged: (failure) => loggedFailures.has(failure),
    all: () => records.values(),
    lastSuccesses: () => [...lastSuccesses.values()],
  };
}

/** The first failure, if nothing was found out about any of the nodes. */
function failureOfAll(results: LookupResponse['results']): Failure | undefined {
  const failures = [...results.values()].map((result) => (result.status === 'unknown' ? result.failure : undefined));
  return failures.every((failure) => failure !== undefined) ? failures[0] : undefined;
}

/** That our own limit left no time for a request is no reason to call the cloud less. */
function recordOutcome(rateLimiter: ScopeRateLimiter, failure: Failure | undefined, nowMs: number): void {
  if (failure === undefined) rateLimiter.succeeded();
  else if (!isOwnLimit(failure)) rateLimiter.failed(failure, nowMs);
}

/** In the log, and on the Lease for those who cannot read the log. */
function failureLogFor(cloud: string, scope: string, dependencies: ControllerDependencies): FailureLog {
  const { clock, log } = dependencies;
  return openFailureLog({
    clock,
    logFailure: (failure) => {
      log.standard('cloudFailing', { cloud, scope, ...failure });
      const { err, hint } = failure;
      const message = `${cloud} ${scope}: ${err}${hint === undefined ? '' : `; hint: ${hint}`}`;
      recordLeaseEvent({ type: 'Warning', reason: 'CloudFailing', message }, dependencies);
    },
    logRepeatedFailure: (failure) => log.debug('Instances cannot be looked up yet', { cloud, scope, ...failure }),
    logRecovery: () => {
      log.standard('cloudRecovered', { cloud, scope });
      const message = `${cloud} ${scope}: instances are looked up again`;
      recordLeaseEvent({ type: 'Normal', reason: 'CloudRecovered', message }, dependencies);
    },
  });
}

function getOrCreate<T>(known: Map<string, T>, key: string, make: () => T): T {
  const value = known.get(key) ?? make();
  known.set(key, value);
  return value;
}

interface NodesOfScope {
  readonly known: ReadonlySet<NodeUid>;
  readonly confirmed: ReadonlyMap<NodeUid, string>;
}

/** The nodes that were once known here, and the confirmations that are written on them. */
function nodesOf(key: string, nodes: ReadonlyMap<NodeUid, TrackedNode>): NodesOfScope {
  const known = new Set<NodeUid>();
  const confirmed = new Map<NodeUid, string>();
  for (const tracked of nodes.values()) {
    if (!isOf(tracked, key) || tracked.facts.providerId === undefined || isUninitialized(tracked.node)) continue;
    known.add(tracked.uid);
    const token = tracked.node.metadata.annotations?.[keys.confirmDeletions];
    if (token !== undefined) confirmed.set(tracked.uid, token);
  }
  return { known, confirmed };
}

function isOf(tracked: TrackedNode, key: string): boolean {
  return cloudScopesOf(tracked).some(({ scope }) => scope.key === key);
}

interface CanaryChoice {
  readonly key: string;
  readonly count: number;
  readonly random: () => number;
}

/** Not always the same ones: one that gives a wrong picture must not do so for ever. */
function chooseCanaries(nodes: Iterable<TrackedNode>, { key, count, random }: CanaryChoice): readonly TrackedNode[] {
  const candidates = [...nodes].filter((each) => canBeCanary(each) && isOf(each, key));
  const start = Math.floor(random() * candidates.length);
  return [...candidates.slice(start), ...candidates.slice(0, start)].slice(0, count);
}

function breakerFields(scope: ScopeRecord): { readonly reason: string; readonly hint: string } {
  return {
    reason: 'too many instances are missing at once',
    hint:
      'deletions by not-found go on when the instances are back, or when one of these Nodes is annotated ' +
      `${keys.confirmDeletions}=${confirmationTokenFor(scope)}`,
  };
}
