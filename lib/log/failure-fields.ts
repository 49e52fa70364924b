import { Failure } from '../failure.ts';
import { KubernetesError } from '../kubernetes/kubernetes-error.ts';

export interface FailureFields {
  readonly err: string;
  readonly hint?: string;
}

/** Quoted text, such as a key of a file, can have any length; the hint comes after it and must stay visible. */
const longestMessageCharacters = 1_000;

/** The failure and its hint as keys of a log line. */
export function failureFields(error: unknown): FailureFields {
  const known = error instanceof Failure || error instanceof KubernetesError;
  if (known) return { err: shorten(error.message), hint: error.remedy };
  return { err: error instanceof Error ? `${error.name}: ${shorten(error.message)}` : 'an unknown error' };
}

function shorten(message: string): string {
  const isLong = message.length > longestMessageCharacters;
  return isLong ? `${message.slice(0, longestMessageCharacters)}…` : message;
}
