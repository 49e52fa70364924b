import type { Notice } from '../../clouds/index.ts';
import type { InterruptionConfig } from '../../schemas/config/interruption.ts';
import type { InterruptionAction } from '../../schemas/interruption.ts';

/** What the operator wants to happen, for the cloud of this node. */
export interface InterruptionSettings {
  /** By effect; none is stronger than the mode of all agents. */
  readonly actions: Readonly<Record<Notice['effect'], InterruptionAction>>;
  /** A deadline that is further away than this is advice. */
  readonly drainAheadMs: number;
  /** Pods should have ended so long before the deadline. */
  readonly marginMs: number;
  /** The deadline of a notice without a time, after it was first seen. */
  readonly unknownTimeMs: number;
  /** How long advice without a time counts. */
  readonly adviceMs: number;
}

const defaultActions: Readonly<Record<Notice['effect'], InterruptionAction>> = {
  ends: 'drain',
  restarts: 'drain',
  pauses: 'report',
  'may-end': 'taint',
};

const strength: Readonly<Record<InterruptionAction, number>> = { ignore: 0, report: 1, taint: 2, drain: 3 };

/** The flag wins over the configuration: the chart sets it for agents that read the node's own configuration file. */
export function interruptionMode(
  flag: InterruptionAction | undefined,
  { mode }: InterruptionConfig,
): InterruptionAction {
  return flag ?? mode ?? 'drain';
}

export function interruptionSettings(
  mode: InterruptionAction,
  cloudName: string,
  { actions, drainAheadMs, marginMs, unknownTimeMs, adviceMs }: InterruptionConfig,
): InterruptionSettings {
  const configured = Object.entries(actions ?? {}).find(([name]) => name === cloudName)?.[1];
  const actionFor = (effect: Notice['effect']): InterruptionAction =>
    weaker(mode, configured?.[effect] ?? defaultActions[effect]);
  return {
    actions: {
      ends: actionFor('ends'),
      restarts: actionFor('restarts'),
      pauses: actionFor('pauses'),
      'may-end': actionFor('may-end'),
    },
    drainAheadMs: drainAheadMs ?? 10 * 60_000,
    marginMs: marginMs ?? 10_000,
    unknownTimeMs: unknownTimeMs ?? 120_000,
    adviceMs: adviceMs ?? 60 * 60_000,
  };
}

function weaker(a: InterruptionAction, b: InterruptionAction): InterruptionAction {
  return strength[a] < strength[b] ? a : b;
}
