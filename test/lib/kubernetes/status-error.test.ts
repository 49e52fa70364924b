import t from 'tap';
import type { KubernetesErrorKind } from '../../../lib/kubernetes/kubernetes-error.ts';
import { eventError, statusError } from '../../../lib/kubernetes/status-error.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');

interface StatusCase {
  readonly status: number;
  readonly reason?: string;
  readonly kind: KubernetesErrorKind;
}

const statusCases: readonly StatusCase[] = [
  { status: 404, reason: 'NotFound', kind: 'not-found' },
  { status: 409, reason: 'AlreadyExists', kind: 'already-exists' },
  { status: 409, reason: 'Conflict', kind: 'conflict' },
  { status: 410, reason: 'Gone', kind: 'gone' },
  { status: 410, reason: 'Expired', kind: 'gone' },
  { status: 403, reason: 'Forbidden', kind: 'forbidden' },
  { status: 401, reason: 'Unauthorized', kind: 'unauthorized' },
  { status: 422, reason: 'Invalid', kind: 'invalid' },
  { status: 400, reason: 'BadRequest', kind: 'invalid' },
  { status: 405, reason: 'MethodNotAllowed', kind: 'invalid' },
  { status: 413, reason: 'RequestEntityTooLarge', kind: 'invalid' },
  { status: 415, reason: 'UnsupportedMediaType', kind: 'invalid' },
  { status: 429, reason: 'TooManyRequests', kind: 'throttled' },
  { status: 500, reason: 'ServerTimeout', kind: 'unavailable' },
  { status: 500, reason: 'InternalError', kind: 'unavailable' },
  { status: 503, reason: 'ServiceUnavailable', kind: 'unavailable' },
  { status: 504, reason: 'Timeout', kind: 'unavailable' },
  // A reason that we do not know, or none: the number speaks.
  { status: 409, reason: 'NewInTheFuture', kind: 'conflict' },
  { status: 401, kind: 'unauthorized' },
  { status: 403, kind: 'forbidden' },
  { status: 404, kind: 'not-found' },
  { status: 408, kind: 'unavailable' },
  { status: 410, kind: 'gone' },
  { status: 418, kind: 'invalid' },
  { status: 429, kind: 'throttled' },
  { status: 502, kind: 'unavailable' },
  { status: 302, kind: 'invalid-response' },
];

for (const { status, reason, kind } of statusCases) {
  await t.test(`${status} ${reason ?? 'without a reason'} is ${kind}`, (t) => {
    const body = JSON.stringify({ kind: 'Status', status: 'Failure', message: 'so it is', reason, code: status });
    const error = statusError('get nodes a', { status, retryAfter: undefined, body }, wallMs);
    t.match(error, { name: 'KubernetesError', kind, status, reason, retryAfterMs: undefined });
    t.equal(error.message, `get nodes a: the API server answered ${status}: so it is`);
    t.not(error.remedy, '');
    t.end();
  });
}

await t.test('a uid that does not hold is a conflict', (t) => {
  const causes = [{ reason: 'FieldValueInvalid', message: 'field is immutable', field: 'metadata.uid' }];
  const status = { kind: 'Status', reason: 'Invalid', code: 422, details: { causes } };
  const refusal = { status: 422, retryAfter: undefined, body: JSON.stringify(status) };
  t.match(statusError('patch nodes a', refusal, wallMs), { kind: 'conflict', reason: 'Invalid' });
  t.end();
});

await t.test('a body that is not a Status is ignored', (t) => {
  for (const body of ['', '<html>busy</html>', '{}', '[]', 'null', '{"kind":"Node","reason":"NotFound"}', '"Status"']) {
    const error = statusError('get nodes a', { status: 503, retryAfter: undefined, body }, wallMs);
    t.match(error, { kind: 'unavailable', reason: undefined });
    t.equal(error.message, 'get nodes a: the API server answered 503', body);
  }
  t.end();
});

await t.test('the wait is the header, else the details', (t) => {
  const body = JSON.stringify({ kind: 'Status', reason: 'TooManyRequests', details: { retryAfterSeconds: 7 } });
  const waitMs = (retryAfter: string | undefined): number | undefined =>
    statusError('x', { status: 429, retryAfter, body }, wallMs).retryAfterMs;
  t.equal(waitMs('2'), 2_000);
  t.equal(waitMs(undefined), 7_000);
  t.equal(waitMs('soon'), 7_000);
  t.end();
});

await t.test('a message is one line, and no longer than a line should be', (t) => {
  const body = JSON.stringify({ kind: 'Status', message: `a\nb\t ${'c'.repeat(9_000)}` });
  const { message } = statusError('x', { status: 500, retryAfter: undefined, body }, wallMs);
  t.match(message, /: a b c+…$/);
  t.ok(message.length < 500);
  t.end();
});

await t.test('an ERROR event carries its own number', (t) => {
  const object = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version: 1 (9)' };
  t.match(eventError('watch nodes', object), { kind: 'gone', status: 410 });
  t.match(eventError('watch nodes', { kind: 'Status', code: 500 }), { kind: 'unavailable' });
  t.match(eventError('watch nodes', 'what?'), { kind: 'invalid-response' });
  t.end();
});

await t.test('a budget and flow control refuse with the same status, and are told apart', (t) => {
  const body = (causes: readonly object[]): string =>
    JSON.stringify({
      kind: 'Status',
      reason: 'TooManyRequests',
      code: 429,
      details: { causes, retryAfterSeconds: 10 },
    });
  const budget = { status: 429, retryAfter: '10', body: body([{ reason: 'DisruptionBudget', message: 'needs 2' }]) };
  t.match(statusError('evict pods a', budget, wallMs), { kind: 'blocked', retryAfterMs: 10_000 });
  t.match(statusError('evict pods a', { ...budget, body: body([]) }, wallMs), { kind: 'throttled' });
  const flowControl = { status: 429, retryAfter: '1', body: 'Too many requests, please try again later.' };
  t.match(statusError('evict pods a', flowControl, wallMs), { kind: 'throttled', retryAfterMs: 1_000 });
  t.end();
});
