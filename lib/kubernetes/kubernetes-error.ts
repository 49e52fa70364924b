/**
 * Why a request to the API server failed:
 * `not-found` · `already-exists` · `conflict` a precondition did not hold · `gone` that version is no longer kept ·
 * `blocked` a PodDisruptionBudget protects the pod · `forbidden` · `unauthorized` unknown credentials · `invalid` the request itself is wrong · `throttled` retry later ·
 * `unavailable` no response, or an error of the server: whether a write was done is unknown ·
 * `invalid-response` a response, but not in the API server's format.
 */
export type KubernetesErrorKind =
  | 'not-found'
  | 'already-exists'
  | 'conflict'
  | 'gone'
  | 'blocked'
  | 'forbidden'
  | 'unauthorized'
  | 'invalid'
  | 'throttled'
  | 'unavailable'
  | 'invalid-response';

export interface KubernetesErrorDetails {
  /** What the operator should do, an imperative sentence without a full stop. */
  readonly remedy: string;
  /** The HTTP status, if there was a response. */
  readonly status?: number;
  /** The reason in the API server's Status object, such as `AlreadyExists`. */
  readonly reason?: string;
  /** How long the API server asked us to wait. */
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** The message has the request and its result. Neither the message nor the remedy holds a secret. */
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

/** Whether the error is of this kind. */
export function isKubernetesError(error: unknown, kind: KubernetesErrorKind): error is KubernetesError {
  return error instanceof KubernetesError && error.kind === kind;
}
