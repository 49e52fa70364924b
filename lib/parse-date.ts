/** The date format of HTTP. `Date.parse` alone accepts almost any text, and reads one without a zone as local time. */
const httpDate = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** ISO 8601 with a zone, as in RFC 3339. */
const isoDate = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/** In milliseconds since 1970. `undefined`: not a date in this format. */
export function parseHttpDate(text: unknown): number | undefined {
  return parseDate(text, httpDate);
}

/** In milliseconds since 1970. `undefined`: not a date in this format. */
export function parseIsoDate(text: unknown): number | undefined {
  return parseDate(text, isoDate);
}

function parseDate(text: unknown, format: RegExp): number | undefined {
  const ms = typeof text === 'string' && format.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}
