import { Failure } from '../failure.ts';
import type { Redactor } from './redactor.ts';

/** The kubelet copies standard error into its log: messages are one short line and contain no secret. */
const maxLineCharacters = 480;
const maxNoteCharacters = 110;

/** Why there is no response, and the first note of the request. */
export function failureLines(program: string, error: unknown, notes: readonly string[], redactor: Redactor): string {
  return `${failureLine(program, error, redactor)}\n${noteLines(program, notes, redactor)}`;
}

export function noteLines(program: string, notes: readonly string[], redactor: Redactor): string {
  return notes
    .slice(0, 1)
    .map((note) => `${noteLine(program, note, redactor)}\n`)
    .join('');
}

export function failureLine(program: string, error: unknown, redactor: Redactor): string {
  return shorten(redactor.redact(`${program}: ${textOf(error)}`), maxLineCharacters);
}

export function noteLine(program: string, note: string, redactor: Redactor): string {
  return shorten(redactor.redact(`${program}: ${note}`), maxNoteCharacters);
}

function textOf(error: unknown): string {
  if (error instanceof Failure) return `${error.message}; hint: ${error.remedy}`;
  const kind = error instanceof Error ? error.name : typeof error;
  return `internal error (${kind}); hint: run it again with -v 1 and report the output`;
}

function shorten(line: string, maxCharacters: number): string {
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1)}…`;
}
