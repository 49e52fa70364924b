import type { HttpResponse } from './http.ts';

/** With a larger skew TLS would have failed, so a date beyond this is an error of the server. */
const maxSkewMs = 30 * 24 * 60 * 60_000;
/** Dates in HTTP and in tokens are exact to one second; only a clock that is clearly wrong matters. */
const tolerableSkewMs = 60_000;

/** How far the server's clock is ahead of this node's, by the Date header; `undefined` if that cannot be determined. */
export function clockSkewMs({ headers }: HttpResponse, wallMs: number): number | undefined {
  const skewMs = Date.parse(headers['date'] ?? '') - wallMs;
  return Math.abs(skewMs) <= maxSkewMs ? skewMs : undefined;
}

export function isSkewed(skewMs: number): boolean {
  return Math.abs(skewMs) >= tolerableSkewMs;
}

/** Converts a time of the server's clock to this node's clock. */
export function toNodeTime(serverMs: number, skewMs: number): number {
  return isSkewed(skewMs) ? serverMs - skewMs : serverMs;
}

/** `server` is its owner's name in the genitive: `AWS's`. */
export function skewText(skewMs: number, server: string): string {
  const minutes = Math.round(Math.abs(skewMs) / 60_000);
  return `this node's clock is ${minutes} minutes ${skewMs > 0 ? 'behind' : 'ahead of'} ${server}`;
}
