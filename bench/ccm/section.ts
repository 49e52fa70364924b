import type { Gate } from '../harness/gate.ts';
import type { Contenders } from './contenders.ts';
import type { Place } from './place.ts';

/** A part of the bench that can be run alone. */
export interface Section {
  readonly gates: readonly Gate[];
  run(scene: Scene): Promise<readonly Sample[]>;
}

export interface Scene {
  readonly place: Place;
  readonly contenders: Contenders;
  readonly steadyMinutes: number;
  say(line: string): void;
}

/** One value that was measured once. */
export interface Sample {
  readonly variant: string;
  /** What it is of, and in which unit. */
  readonly metric: string;
  readonly value: number;
}

/** Of one run: what was measured, by metric; each begins with the title. */
export function samplesOf(variant: string, title: string, values: Readonly<Record<string, number>>): readonly Sample[] {
  return Object.entries(values).map(([metric, value]) => ({ variant, metric: `${title}: ${metric}`, value }));
}
