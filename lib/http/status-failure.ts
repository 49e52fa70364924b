import { Failure } from '../failure.ts';
import type { FailureKind } from '../failure.ts';
import { retryAfterMs } from '../retry.ts';
import type { HttpResponse } from './http.ts';

interface StatusRow {
  readonly maxStatus: number;
  readonly kind: FailureKind;
  readonly message: string;
  readonly remedy: string;
}

/** The first row whose `maxStatus` is not below the status applies. */
const rows: readonly StatusRow[] = [
  {
    maxStatus: 299,
    kind: 'invalid-response',
    message: 'an answer we cannot use',
    remedy: 'check that nothing else answers in its place',
  },
  {
    maxStatus: 399,
    kind: 'misconfigured',
    message: 'a redirect, which is not followed with credentials',
    remedy: 'check that nothing else answers in its place',
  },
  { maxStatus: 400, kind: 'denied', message: 'a refusal of the request', remedy: 'check the endpoint settings' },
  { maxStatus: 403, kind: 'denied', message: 'a refusal', remedy: 'check who may ask it' },
  { maxStatus: 404, kind: 'not-found', message: 'not found', remedy: 'check the endpoint settings' },
  { maxStatus: 407, kind: 'denied', message: 'a refusal of the request', remedy: 'check the endpoint settings' },
  { maxStatus: 408, kind: 'unavailable', message: 'it waited too long for the request', remedy: 'it should pass' },
  { maxStatus: 428, kind: 'denied', message: 'a refusal of the request', remedy: 'check the endpoint settings' },
  {
    maxStatus: 429,
    kind: 'throttled',
    message: 'too many requests',
    remedy: 'it should pass; if not, ask for a higher quota',
  },
  { maxStatus: 499, kind: 'denied', message: 'a refusal of the request', remedy: 'check the endpoint settings' },
  {
    maxStatus: 599,
    kind: 'unavailable',
    message: 'an error of its own',
    remedy: "it should pass; if not, see the provider's status",
  },
];

/** The failure for a status when the body contains no more information. */
export function statusFailure(target: string, response: HttpResponse, wallMs: number): Failure {
  const row = rows.find(({ maxStatus }) => response.status <= maxStatus) ?? rows[0];
  const waitMs = retryAfterMs(response.headers['retry-after'], wallMs);
  const retryAfterText = waitMs === undefined ? '' : `, asking to wait ${Math.ceil(waitMs / 1000)} s`;
  return new Failure(
    row?.kind ?? 'invalid-response',
    `${target} answered HTTP ${response.status}: ${row?.message}${retryAfterText}`,
    {
      remedy: row?.remedy ?? '',
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    },
  );
}
