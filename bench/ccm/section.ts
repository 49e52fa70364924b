import type { Gate } from '../harness/gate.ts';
import type { BenchSample } from '../harness/samples.ts';
import type { ControllerSubjects } from './subjects.ts';
import type { ControllerFixture } from './fixture.ts';

/** A part of the bench that can be run alone. */
export interface Section {
  gates(context: Pick<SectionContext, 'fixture' | 'subjects'>): readonly Gate[];
  run(context: SectionContext): Promise<readonly BenchSample[]>;
}

export interface SectionContext {
  readonly fixture: ControllerFixture;
  readonly subjects: ControllerSubjects;
  readonly steadyMinutes: number;
  log(line: string): void;
}
