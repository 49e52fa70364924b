import type { Gate } from '../harness/gate.ts';
import type { ControllerSubjects } from './subjects.ts';
import type { ControllerFixture } from './fixture.ts';

/** A part of the bench that can be run alone. */
export interface Section {
  gates(context: Pick<SectionContext, 'fixture' | 'subjects'>): readonly Gate[];
  run(context: SectionContext): Promise<readonly ControllerSample[]>;
}

export interface SectionContext {
  readonly fixture: ControllerFixture;
  readonly subjects: ControllerSubjects;
  readonly steadyMinutes: number;
  log(line: string): void;
}

/** One value that was measured once. */
export interface ControllerSample {
  readonly variant: string;
  /** What it is of, and in which unit. */
  readonly metric: string;
  readonly value: number;
}

/** Of one run: what was measured, by metric; each begins with the title. */
export function toSamples(
  variant: string,
  title: string,
  values: Readonly<Record<string, number>>,
): readonly ControllerSample[] {
  return Object.entries(values).map(([metric, value]) => ({ variant, metric: `${title}: ${metric}`, value }));
}
