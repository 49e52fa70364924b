import t from 'tap';
import { Failure } from '../../lib/failure.ts';

await t.test('a failure keeps its kind, remedy, wait and cause', (t) => {
  const cause = new Error('below');
  const failure = new Failure('throttled', 'it was too much', { remedy: 'ask less', retryAfterMs: 5_000, cause });
  t.match(failure, { kind: 'throttled', message: 'it was too much', remedy: 'ask less', retryAfterMs: 5_000, cause });
  t.equal(failure.name, 'Failure');
  t.ok(failure instanceof Error);
  t.end();
});

await t.test('without a Retry-After there is none', (t) => {
  t.equal(new Failure('denied', 'no', { remedy: 'ask for it' }).retryAfterMs, undefined);
  t.end();
});
