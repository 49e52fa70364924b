import type { FailureReason } from '../schemas/metrics/declaration.ts';
import { Failure } from './failure.ts';
import { NetworkError } from './http/network-error.ts';
import type { NetworkReason } from './http/network-error.ts';
import { KubernetesError } from './kubernetes/kubernetes-error.ts';
import type { KubernetesErrorKind } from './kubernetes/kubernetes-error.ts';

/** Why something failed, in the few words that metrics use. */
export function failureReasonOf(error: unknown): FailureReason {
  if (!(error instanceof Failure) && !(error instanceof KubernetesError)) return 'other';
  const { cause } = error;
  if (cause instanceof NetworkError) return networkReasons[cause.reason] ?? 'network';
  if (cause instanceof Error && cause.name === 'TimeoutError') return 'timeout';
  if (error instanceof KubernetesError) return apiServerReasons[error.kind] ?? 'other';
  return error.kind;
}

const networkReasons: Readonly<Partial<Record<NetworkReason, FailureReason>>> = {
  timeout: 'timeout',
  'connect-timeout': 'timeout',
  'name-timeout': 'timeout',
  untrusted: 'tls',
  'certificate-date': 'tls',
  'certificate-name': 'tls',
  tls: 'tls',
};

const apiServerReasons: Readonly<Partial<Record<KubernetesErrorKind, FailureReason>>> = {
  forbidden: 'denied',
  unauthorized: 'denied',
  throttled: 'throttled',
  unavailable: 'unavailable',
  'not-found': 'not-found',
  invalid: 'misconfigured',
  'invalid-response': 'invalid-response',
};
