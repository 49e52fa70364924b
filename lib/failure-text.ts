import { Failure } from './failure.ts';
import { KubernetesError } from './kubernetes/kubernetes-error.ts';

/** What went wrong and what to do about it, in one line. */
export function failureText(error: unknown): string {
  const known = error instanceof Failure || error instanceof KubernetesError;
  if (known) return `${error.message}; to mend it: ${error.remedy}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : 'an unknown error';
}
