import type { Secret } from '../secret.ts';

/** Masks the secrets of one request in everything that is printed about it. */
export interface Redactor {
  /** The value is masked from now on. */
  hide(secret: Secret | undefined): void;
  redact(text: string): string;
}

export function createRedactor(): Redactor {
  const values: string[] = [];
  return {
    hide: (secret) => {
      if (secret !== undefined) values.push(secret.reveal());
    },
    redact: (text) => redact(text, values),
  };
}

/**
 * For secrets that were not registered: signed tokens, and runs of characters that are longer than any role name or
 * path without a dot or a colon, or that look random. Names of roles and machines are words, or have no capitals
 * among their digits.
 */
const secretPatterns = [
  /\beyJ[\w-]{8,}(?:\.[\w-]*)*/g,
  /[\w+=]{65,}|[\w+/=-]{160,}/g,
  /(?=[A-Za-z0-9]*[a-z])(?=[A-Za-z0-9]*[A-Z])(?=(?:[A-Za-z]*\d){3})[A-Za-z0-9]{28,}/g,
];

/** Masks these values and whatever looks like a secret, and makes one line of printable characters. */
function redact(text: string, values: readonly string[]): string {
  const longestFirst = values.toSorted((a, b) => b.length - a.length);
  const masked = longestFirst.reduce((rest, value) => (value.length < 4 ? rest : rest.replaceAll(value, '***')), text);
  const hidden = secretPatterns.reduce((rest, pattern) => rest.replace(pattern, '***'), masked);
  return hidden.replace(/[^\x20-\x7e…]+/g, ' ').trim();
}
