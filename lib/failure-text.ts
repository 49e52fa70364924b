import { Failure } from './failure.ts';
import { KubernetesError } from './kubernetes/kubernetes-error.ts';
import { printable } from './printable.ts';

/** A key of a file that is quoted can be of any length; the hint comes after it and must be seen. */
const longestMessageCharacters = 1_000;

/** What went wrong and what to do about it, in one line, whatever of a file or an object is quoted in it. */
export function failureText(error: unknown): string {
  const known = error instanceof Failure || error instanceof KubernetesError;
  if (known) return `${oneLine(error.message)}; to mend it: ${error.remedy}`;
  return error instanceof Error ? `${error.name}: ${oneLine(error.message)}` : 'an unknown error';
}

function oneLine(message: string): string {
  const isLong = message.length > longestMessageCharacters;
  return printable(isLong ? `${message.slice(0, longestMessageCharacters)}…` : message);
}
