import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { failureFields } from '../../../lib/log/failure-fields.ts';

await t.test('what went wrong and what to do about it have keys of their own', (t) => {
  const failure = new Failure('denied', 'no', { remedy: 'ask' });
  t.strictSame(failureFields(failure), { err: 'no', hint: 'ask' });
  t.strictSame(failureFields(new TypeError('x is not y')), { err: 'TypeError: x is not y' });
  t.strictSame(failureFields('text'), { err: 'an unknown error' });
  const long = new Failure('denied', 'x'.repeat(5_000), { remedy: 'ask' });
  t.equal(failureFields(long).err, `${'x'.repeat(1_000)}…`);
  t.end();
});
