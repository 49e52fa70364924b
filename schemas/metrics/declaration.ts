/**
 * The labels of a metric and their values: one of a list, or any value up to a maximum number; all further values are
 * counted together. Each combination is kept for the lifetime of the process, so values from outside must be
 * bounded.
 */
export type LabelSet = Readonly<Record<string, readonly string[] | { readonly atMost: number }>>;

/** A metric that a program serves. Names, types and labels stay the same from version to version. */
export interface MetricDeclaration {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: LabelSet;
  /** Of a histogram: upper bounds in ascending order; `+Inf` is added. */
  readonly buckets?: readonly number[];
}

export type MetricDeclarations = Readonly<Record<string, MetricDeclaration>>;

/** Why something failed, as metrics name it. */
export const failureReasons = {
  denied: 'the other side refused the credentials, or they lack a permission',
  throttled: 'too many requests; for look-ups also the own rate limit',
  timeout: 'no complete response in time',
  network: 'no connection, or it broke',
  tls: 'the certificate or the TLS handshake of the other side',
  unavailable: 'an error of the other side',
  'not-found': 'something that the request names does not exist',
  'invalid-response': 'a response that cannot be used, or one that left something out',
  misconfigured: 'the configuration, or an object of the cluster, has to be corrected',
  other: 'an internal error, or a conflict that did not end',
} as const;

export type FailureReason = keyof typeof failureReasons;

export const failureReasonValues = Object.keys(failureReasons) as readonly FailureReason[];

/** Names of clouds: more than there are. */
export const anyCloud = { atMost: 32 } as const;
/** Scopes can come from Nodes, which kubelets write. */
export const anyScope = { atMost: 200 } as const;
