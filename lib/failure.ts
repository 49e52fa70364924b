/**
 * What went wrong, in the few kinds that callers act on:
 * `not-found` it was said not to exist · `throttled` ask later · `denied` asking again does not help ·
 * `unavailable` could not find out, ask again · `invalid-response` answered, but not in its own format ·
 * `misconfigured` only the operator can mend it.
 */
export type FailureKind = 'not-found' | 'throttled' | 'denied' | 'unavailable' | 'invalid-response' | 'misconfigured';

export interface FailureDetails {
  /** What the operator should do, an imperative sentence without a full stop. */
  readonly remedy: string;
  /** How long the other side asked us to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** An error that says what failed and why in its message, and what to do in its remedy. Neither holds a secret. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly remedy: string;
  readonly retryAfterMs: number | undefined;

  constructor(kind: FailureKind, message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.remedy = details.remedy;
    this.retryAfterMs = details.retryAfterMs;
  }
}
