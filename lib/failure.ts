/**
 * The few kinds of failure that callers act on:
 * `not-found` the server reported that it does not exist · `throttled` retry later · `denied` a retry does not help ·
 * `unavailable` could not find out, retry · `invalid-response` the response has the wrong format ·
 * `misconfigured` only the operator can correct it.
 */
export type FailureKind = 'not-found' | 'throttled' | 'denied' | 'unavailable' | 'invalid-response' | 'misconfigured';

export interface FailureDetails {
  /** What the operator should do, an imperative sentence without a full stop. */
  readonly remedy: string;
  /** How long the server asked us to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
  /** Further lines that a program prints when it ends with this failure, for example lines to copy. */
  readonly details?: readonly string[];
}

/** The message states what failed and why, the remedy what to do. Neither holds a secret. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly kind: FailureKind;
  readonly remedy: string;
  readonly retryAfterMs: number | undefined;
  readonly details: readonly string[];

  constructor(kind: FailureKind, message: string, details: FailureDetails) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.remedy = details.remedy;
    this.retryAfterMs = details.retryAfterMs;
    this.details = details.details ?? [];
  }
}
