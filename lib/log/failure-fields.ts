import { Failure } from '../failure.ts';
import { KubernetesError } from '../kubernetes/kubernetes-error.ts';

export interface FailureFields {
  readonly err: string;
  readonly hint?: string;
}

/** What went wrong and what to do about it, as keys of a line. */
export function failureFields(error: unknown): FailureFields {
  const known = error instanceof Failure || error instanceof KubernetesError;
  if (known) return { err: error.message, hint: error.remedy };
  return { err: error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error' };
}
