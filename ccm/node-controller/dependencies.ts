import type { Context } from '../../lib/context.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Cluster } from './cluster.ts';
import type { EnabledCloud } from './ownership.ts';
import type { ControllerMetrics } from './metrics.ts';
import type { ControllerSettings } from './settings.ts';

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
