import { failureLines, noteLines } from '../lib/registry-login/failure-line.ts';
import { createRedactor } from '../lib/registry-login/redactor.ts';
import { answerDepsFor } from './answer-deps.ts';
import { answerInTime } from './answer-in-time.ts';
import { programName } from './runtime.ts';
import type { Input, Progress, ProviderRuntime } from './runtime.ts';

export interface Output {
  /** One JSON object, or nothing. */
  readonly stdout: string;
  readonly stderr: string;
  /** 2: wrong usage of a command for people. */
  readonly exitCode: 0 | 1 | 2;
}

/** From a request to a response, or to a line that says why there is none. Never throws. */
export async function run(input: Input, runtime: ProviderRuntime): Promise<Output> {
  const progress: Progress = {
    redactor: createRedactor(),
    notes: [],
    end: new AbortController(),
    lastStep: '',
  };
  const { redactor, notes } = progress;
  try {
    const response = await answerInTime(input, answerDepsFor(input, runtime, progress), progress);
    return { stdout: `${JSON.stringify(response)}\n`, stderr: noteLines(programName, notes, redactor), exitCode: 0 };
  } catch (error) {
    return { stdout: '', stderr: failureLines(programName, error, notes, redactor), exitCode: 1 };
  }
}
