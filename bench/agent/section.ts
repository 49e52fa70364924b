import type { Gate } from '../harness/gate.ts';
import type { BenchSample } from '../harness/samples.ts';
import type { AgentFixture } from './fixture.ts';
import type { AgentSubjects } from './subjects.ts';

/** A part of the bench that can be run alone. */
export interface AgentSection {
  readonly gates: readonly Gate[];
  run(context: AgentContext): Promise<readonly BenchSample[]>;
}

export interface AgentContext {
  readonly fixture: AgentFixture;
  readonly subjects: AgentSubjects;
  readonly rounds: number;
  readonly idleMinutes: number;
  log(line: string): void;
}

export const ours = 'polycloud-node-agent';
export const kbPerMb = 1_024;
export const msPerSecond = 1_000;
