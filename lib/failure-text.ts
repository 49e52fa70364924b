import { failureFields } from './log/failure-fields.ts';
import { printable } from './printable.ts';

/** What went wrong and what to do about it, in one line, whatever of a file or an object is quoted in it. */
export function failureText(error: unknown): string {
  const { err, hint } = failureFields(error);
  return hint === undefined ? printable(err) : `${printable(err)}; hint: ${hint}`;
}
