import type { Context } from '../../clouds/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log/log.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { EnabledCloud } from '../node/ownership.ts';
import type { Measures } from './measures.ts';
import type { ControllerSettings } from './settings.ts';

/** Everything outside the controller. */
export interface Dependencies {
  readonly clouds: readonly EnabledCloud[];
  readonly cluster: Cluster;
  readonly settings: ControllerSettings;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly measures: Measures;
  contextFor(signal: AbortSignal): Context;
}
