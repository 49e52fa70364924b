import type { RawRequest } from './raw-servers.ts';

/** How a case ended, as far as it can be seen from outside. */
export interface CaseOutcome {
  readonly stdout: string;
  readonly stderr: string;
  /** Null: there was none, since it crashed or never ended. */
  readonly exitCode: number | null;
  /** Other failures: an exception, an unhandled rejection, no end in time. */
  readonly errors: readonly string[];
  readonly requests: readonly RawRequest[];
  /** Who was asked and should not have been. */
  readonly unexpectedRequests: readonly string[];
  readonly durationMs: number;
}
