import { failureFields } from './log/failure-fields.ts';
import { printable } from './printable.ts';

/** The message of an error and its hint, in one line, even if they quote a file or an object. */
export function failureText(error: unknown): string {
  const { err, hint } = failureFields(error);
  return hint === undefined ? printable(err) : `${printable(err)}; hint: ${hint}`;
}
