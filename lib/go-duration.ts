const msPerUnit: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1_000,
  ms: 1,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ns: 1e-6,
};
const partPattern = /(\d+(?:\.\d*)?|\.\d+)(h|ms|m|s|us|[µμ]s|ns)/g;
const wholePattern = /^(?:(?:\d+(?:\.\d*)?|\.\d+)(?:h|ms|m|s|us|[µμ]s|ns))+$/;
const maxTextCharacters = 64;

/** Milliseconds of `1m30s`, `500ms` or `0`, as in Go's flags. Negative durations are not accepted. */
export function parseGoDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (text.length > maxTextCharacters || !wholePattern.test(text)) return undefined;
  const parts = [...text.matchAll(partPattern)];
  const sumMs = parts.reduce((sum, [, count = '', unit = '']) => sum + Number(count) * (msPerUnit[unit] ?? 0), 0);
  return Number.isFinite(sumMs) ? sumMs : undefined;
}

/** `1h0m0s`, `1.5s`, `500ms`, as Go prints them; to the millisecond. */
export function printGoDuration(durationMs: number): string {
  const roundedMs = Math.round(durationMs);
  if (roundedMs > 0 && roundedMs < 1_000) return `${roundedMs}ms`;
  const minutes = Math.floor(roundedMs / 60_000);
  const seconds = `${(roundedMs % 60_000) / 1_000}s`;
  if (minutes >= 60) return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}
