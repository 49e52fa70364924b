import type { NodeUid, Route, Scope } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { Failure } from '../../lib/failure.ts';
import { openFailureLog } from '../../lib/log/failure-log.ts';
import type { FailureLog } from '../../lib/log/failure-log.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Cluster } from '../node-controller/cluster.ts';
import type { EnabledCloud } from '../node-controller/ownership.ts';
import { createScopeRateLimiter } from '../node-controller/scope-rate-limiter.ts';
import type { ScopeRateLimiter } from '../node-controller/scope-rate-limiter.ts';
import type { Cidr } from './cidr.ts';
import type { FormerRoutes } from './former-routes.ts';
import type { RoutedCloud, RoutedNode } from './routed-node.ts';

/** Everything outside the route controller. */
export interface RouteDependencies {
  readonly clouds: readonly EnabledCloud[];
  readonly cluster: Cluster;
  /** Asked right before each change in the cloud. */
  mayWrite(): boolean;
  readonly settings: RouteSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: RouteMetrics;
  contextFor(signal: AbortSignal): Context;
}

export interface RouteSettings {
  readonly clusterCidrs: readonly Cidr[];
  readonly routeReconciliationPeriodMs: number;
  readonly dryRun: boolean;
}

export interface RouteMetrics {
  countRouteRun(outcome: 'changed' | 'noop' | 'error'): void;
  countRouteChange(change: 'create' | 'remove', result: 'success' | 'error'): void;
  /** Without a status there was no response. */
  countCloudRequest(cloud: string, status: number | undefined): void;
  countWrites(kind: 'condition' | 'event', count: number): void;
}

/** What one route controller knows and does. */
export interface RouteState {
  dependencies: RouteDependencies;
  readonly nodes: Map<NodeUid, RoutedNode>;
  readonly former: FormerRoutes;
  readonly tables: Map<string, RouteTable>;
  /** What was reported of each Node during this leadership. */
  readonly reports: Map<NodeUid, NodeReport>;
  /** Differs after each change of Nodes that matters to routes. */
  revision: number;
  /** Makes the loop look at once. */
  wake(): void;
}

export interface NodeReport {
  /** The last warning event, so that it is not repeated for every attempt. */
  readonly warning?: string;
  /** The condition that was written, and the version of the Node that it was written for. */
  readonly condition?: string;
  /** The last write of condition or event failed, which was logged. */
  readonly writeFails?: boolean;
}

/** A route table during one leadership. */
export interface RouteTable {
  readonly cloud: RoutedCloud;
  readonly scope: Scope;
  readonly rateLimiter: ScopeRateLimiter;
  readonly failureLog: FailureLog;
  /** On the monotonic clock. */
  dueAtMs: number;
  busy: boolean;
  /** By Node; absent: not decided yet. */
  states: ReadonlyMap<NodeUid, NodeRouteState>;
  /** Routes that could not be created, by pod CIDR and next hop. */
  readonly retries: Map<string, RouteRetry>;
  /** They look like routes of former Nodes, but nothing proves it. */
  left: readonly Route[];
  /** What was logged last, so that it is not repeated. */
  loggedPlan: string;
  loggedLeft: string;
  /** 0: it was never listed. */
  lastSuccessWallMs: number;
  failure?: Failure | undefined;
}

export interface RouteRetry {
  readonly failures: number;
  readonly atMs: number;
  readonly failure: Failure;
}

/** Of all routes of a Node in a table. */
export type NodeRouteState =
  | { readonly is: 'present' | 'pending' }
  /** It cannot have a route for now. */
  | { readonly is: 'failed'; readonly reason: string };

export function openTable(cloud: RoutedCloud, scope: Scope, { log, clock, random }: RouteDependencies): RouteTable {
  const of = { cloud: cloud.name, scope: scope.key };
  return {
    cloud,
    scope,
    rateLimiter: createScopeRateLimiter(random),
    failureLog: openFailureLog({
      clock,
      logFailure: (failure) => log.standard('routesFailing', { ...of, ...failure }),
      logRepeatedFailure: (failure) => log.debug('Routes cannot be read yet', { ...of, ...failure }),
      logRecovery: () => log.standard('routesRecovered', of),
    }),
    dueAtMs: 0,
    busy: false,
    states: new Map(),
    retries: new Map(),
    left: [],
    loggedPlan: '',
    loggedLeft: '',
    lastSuccessWallMs: 0,
  };
}

/** When it can be reconciled, on the monotonic clock. */
export function nextRunAtMs({ busy, dueAtMs, rateLimiter }: RouteTable, nowMs: number): number {
  return busy ? Infinity : Math.max(dueAtMs, nowMs + rateLimiter.waitMs(nowMs));
}
