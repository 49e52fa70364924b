/**
 * Why the API server did not do what it was asked to:
 * `not-found` · `already-exists` · `conflict` a precondition did not hold · `gone` that version is no longer kept ·
 * `forbidden` · `unauthorized` it does not know who asks · `invalid` the request itself is wrong · `throttled` ask later ·
 * `unavailable` no answer, or that it could not: whether a write was done is not known ·
 * `invalid-response` an answer, but not in the API server's format.
 */
export type KubernetesErrorKind =
  | 'not-found'
  | 'already-exists'
  | 'conflict'
  | 'gone'
  | 'forbidden'
  | 'unauthorized'
  | 'invalid'
  | 'throttled'
  | 'unavailable'
  | 'invalid-response';

export interface KubernetesErrorDetails {
  /** What the operator should do, an imperative sentence without a full stop. */
  readonly remedy: string;
  /** HTTP's number, where there was an answer. */
  readonly status?: number;
  /** The API server's own word, such as `AlreadyExists`. */
  readonly reason?: string;
  /** How long the API server asked us to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Its message says what was asked, and what came of it; neither it nor the remedy holds a secret. */
export class KubernetesError extends Error {
  override readonly name = 'KubernetesError';
  readonly kind: KubernetesErrorKind;
  readonly remedy: string;
  readonly status: number | undefined;
  readonly reason: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: KubernetesErrorKind, message: string, details: KubernetesErrorDetails) {
    super(message, { cause: details.cause });
    this.kind = kind;
    this.remedy = details.remedy;
    this.status = details.status;
    this.reason = details.reason;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** Is this what went wrong? For callers who expect one thing to fail in one way. */
export function isKubernetesError(error: unknown, kind: KubernetesErrorKind): error is KubernetesError {
  return error instanceof KubernetesError && error.kind === kind;
}
