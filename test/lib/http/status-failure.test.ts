import t from 'tap';
import type { FailureKind } from '../../../lib/failure.ts';
import { statusFailure } from '../../../lib/http/status-failure.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');

const rows: readonly (readonly [status: number, kind: FailureKind])[] = [
  [0, 'invalid-response'],
  [200, 'invalid-response'],
  [204, 'invalid-response'],
  [301, 'misconfigured'],
  [302, 'misconfigured'],
  [307, 'misconfigured'],
  [400, 'denied'],
  [401, 'denied'],
  [403, 'denied'],
  [404, 'not-found'],
  [405, 'denied'],
  [408, 'unavailable'],
  [428, 'denied'],
  [429, 'throttled'],
  [431, 'denied'],
  [451, 'denied'],
  [500, 'unavailable'],
  [502, 'unavailable'],
  [503, 'unavailable'],
  [504, 'unavailable'],
  [599, 'unavailable'],
  [600, 'invalid-response'],
  [999, 'invalid-response'],
];

for (const [status, kind] of rows) {
  await t.test(`HTTP ${status} is ${kind}`, (t) => {
    const failure = statusFailure('registry.example', { status, headers: {}, body: new Uint8Array() }, wallMs);
    t.equal(failure.kind, kind);
    t.match(failure.message, new RegExp(`^registry\\.example answered HTTP ${status}: [a-z]`));
    t.equal(failure.retryAfterMs, undefined);
    t.ok(failure.remedy.length > 10);
    t.end();
  });
}

await t.test('a Retry-After is kept and reported', (t) => {
  const headers = { 'retry-after': '3' };
  const failure = statusFailure('registry.example', { status: 429, headers, body: new Uint8Array() }, wallMs);
  t.equal(failure.retryAfterMs, 3_000);
  t.match(failure.message, /, asking to wait 3 s$/);
  t.end();
});

await t.test('nothing of the body is quoted', (t) => {
  const body = Buffer.from('the-body-says-this');
  const failure = statusFailure(
    'registry.example',
    { status: 500, headers: { server: 'the-header-too' }, body },
    wallMs,
  );
  t.notMatch(`${failure.message} ${failure.remedy}`, /the-/);
  t.end();
});
