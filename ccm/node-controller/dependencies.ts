import type { Context } from '../../lib/context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Cluster } from './cluster.ts';
import type { EnabledCloud } from './ownership.ts';
import type { Failure } from '../../lib/failure.ts';
import type { LifecycleAction } from '../lifecycle/decision.ts';
import type { LifecycleSettings } from '../lifecycle/settings.ts';

/** Everything outside the controller. */
export interface ControllerDependencies {
  readonly clouds: readonly EnabledCloud[];
  readonly cluster: Cluster;
  readonly settings: ControllerSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly metrics: ControllerMetrics;
  contextFor(signal: AbortSignal): Context;
}

export interface ControllerSettings {
  /** How often a node that is not Ready is asked for. */
  readonly nodeMonitorPeriodMs: number;
  /** How often every node is asked for. */
  readonly nodeStatusUpdateFrequencyMs: number;
  /** How long a new node is left to its agent; 0: not at all. */
  readonly agentHeadStartMs: number;
  readonly lifecycle: LifecycleSettings;
  readonly controllers: { readonly node: boolean; readonly lifecycle: boolean };
}

/** What the controller counts; the names and forms are the metrics' affair. */
export interface ControllerMetrics {
  /** `failure`: nothing was found out. `throttled`: a part of the look-up was throttled. */
  countLookup(
    scope: { readonly cloud: string; readonly scope: string },
    problem: { readonly failure?: Failure | undefined; readonly throttled?: Failure | undefined },
  ): void;
  /** Without a status there was no response. */
  countCloudRequest(cloud: string, status: number | undefined): void;
  observeInitialization(sinceCreationS: number): void;
  countWrites(kind: 'node' | 'taint' | 'condition' | 'event', count: number): void;
  countDecision(action: LifecycleAction['do']): void;
  countDeletion(word: 'terminated' | 'not-found'): void;
  setBreaker(scopeKey: string, open: boolean): void;
}
