import type { LifecycleSettings } from '../lifecycle/settings.ts';

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
