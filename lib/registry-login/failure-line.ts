import { Failure } from '../failure.ts';

/** The kubelet copies our standard error into its log, so what we say there is short, one line, and holds no secret. */
const maxLineCharacters = 480;
const maxNoteCharacters = 110;

/** Why there is no answer, and the first thing noticed on the way. */
export function failureLines(
  program: string,
  error: unknown,
  notes: readonly string[],
  secrets: readonly string[],
): string {
  return `${failureLine(program, error, secrets)}\n${noteLines(program, notes, secrets)}`;
}

export function noteLines(program: string, notes: readonly string[], secrets: readonly string[]): string {
  return notes
    .slice(0, 1)
    .map((note) => `${noteLine(program, note, secrets)}\n`)
    .join('');
}

export function failureLine(program: string, error: unknown, secrets: readonly string[]): string {
  return shorten(redact(`${program}: ${textOf(error)}`, secrets), maxLineCharacters);
}

export function noteLine(program: string, note: string, secrets: readonly string[]): string {
  return shorten(redact(`${program}: ${note}`, secrets), maxNoteCharacters);
}

function textOf(error: unknown): string {
  if (error instanceof Failure) return `${error.message}; hint: ${error.remedy}`;
  const kind = error instanceof Error ? error.name : typeof error;
  return `internal error (${kind}); hint: run it again with -v 1 and report what it says`;
}

/**
 * The last net: signed tokens, and runs longer than any name of a role or a path has without a dot or a colon, or that
 * look drawn by lot. Names of roles and machines are words, or have no capitals among their digits.
 */
const secretPatterns = [
  /\beyJ[\w-]{8,}(?:\.[\w-]*)*/g,
  /[\w+=]{65,}|[\w+/=-]{160,}/g,
  /(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])(?=(?:[A-Za-z]*\d){3})[A-Za-z0-9]{28,}/g,
];

export function redact(text: string, secrets: readonly string[]): string {
  const longestFirst = secrets.toSorted((a, b) => b.length - a.length);
  const masked = longestFirst.reduce(
    (rest, secret) => (secret.length < 4 ? rest : rest.replaceAll(secret, '***')),
    text,
  );
  const hidden = secretPatterns.reduce((rest, pattern) => rest.replace(pattern, '***'), masked);
  return hidden.replace(/[^\x20-\x7e…]+/g, ' ').trim();
}

function shorten(line: string, maxCharacters: number): string {
  return line.length <= maxCharacters ? line : `${line.slice(0, maxCharacters - 1)}…`;
}
