import type { HttpResponse } from './http.ts';

/** TLS would not have succeeded with a clock that is further off, so a date beyond this is an error of the server. */
const maxSkewMs = 30 * 24 * 60 * 60_000;
/** Dates in HTTP and in tokens are exact to seconds; only a clock that is really wrong matters. */
const tolerableSkewMs = 60_000;

/** How far the server's clock is ahead of this node's, by the response's date. `undefined`: the response does not show it. */
export function clockSkewMs({ headers }: HttpResponse, wallMs: number): number | undefined {
  const skewMs = Date.parse(headers['date'] ?? '') - wallMs;
  return Math.abs(skewMs) <= maxSkewMs ? skewMs : undefined;
}

export function isSkewed(skewMs: number): boolean {
  return Math.abs(skewMs) >= tolerableSkewMs;
}

/** A time by the server's clock as this node's clock shows it. */
export function toNodeTime(serverMs: number, skewMs: number): number {
  return isSkewed(skewMs) ? serverMs - skewMs : serverMs;
}

/** `server` is its owner's name in the genitive: `AWS's`. */
export function skewText(skewMs: number, server: string): string {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  return `this node's clock is ${minutes} minutes ${skewMs > 0 ? 'behind' : 'ahead of'} ${server}`;
}
