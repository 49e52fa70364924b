import { Failure } from '../failure.ts';
import type { FailureKind } from '../failure.ts';
import { retryAfterMs } from '../retry.ts';
import type { HttpResponse } from './http.ts';

interface StatusRow {
  readonly upTo: number;
  readonly kind: FailureKind;
  readonly says: string;
  readonly remedy: string;
}

/** The first row whose `upTo` is not below the status. */
const rows: readonly StatusRow[] = [
  {
    upTo: 299,
    kind: 'invalid-response',
    says: 'an answer we cannot use',
    remedy: 'check that nothing else answers in its place',
  },
  {
    upTo: 399,
    kind: 'misconfigured',
    says: 'a redirect, which is not followed with credentials',
    remedy: 'check that nothing else answers in its place',
  },
  { upTo: 400, kind: 'denied', says: 'a refusal of the request', remedy: 'check the endpoint settings' },
  { upTo: 403, kind: 'denied', says: 'a refusal', remedy: 'check who may ask it' },
  { upTo: 404, kind: 'not-found', says: 'not found', remedy: 'check the endpoint settings' },
  { upTo: 407, kind: 'denied', says: 'a refusal of the request', remedy: 'check the endpoint settings' },
  { upTo: 408, kind: 'unavailable', says: 'it waited too long for the request', remedy: 'it should pass' },
  { upTo: 428, kind: 'denied', says: 'a refusal of the request', remedy: 'check the endpoint settings' },
  { upTo: 429, kind: 'throttled', says: 'too many requests', remedy: 'it should pass; if not, ask for a higher quota' },
  { upTo: 499, kind: 'denied', says: 'a refusal of the request', remedy: 'check the endpoint settings' },
  {
    upTo: 599,
    kind: 'unavailable',
    says: 'an error of its own',
    remedy: "it should pass; if not, see the provider's status",
  },
];

/** What a status says when the body says nothing more. */
export function statusFailure(whom: string, response: HttpResponse, wallMs: number): Failure {
  const row = rows.find(({ upTo }) => response.status <= upTo) ?? rows[0];
  const waitMs = retryAfterMs(response.headers['retry-after'], wallMs);
  const asked = waitMs === undefined ? '' : `, asking to wait ${Math.ceil(waitMs / 1000)} s`;
  return new Failure(
    row?.kind ?? 'invalid-response',
    `${whom} answered HTTP ${response.status}: ${row?.says}${asked}`,
    {
      remedy: row?.remedy ?? '',
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    },
  );
}
