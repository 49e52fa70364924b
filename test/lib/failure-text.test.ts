import t from 'tap';
import { failureText } from '../../lib/failure-text.ts';
import { Failure } from '../../lib/failure.ts';

await t.test('a failure is one line, even if it quotes several', async (t) => {
  const failure = new Failure('misconfigured', 'line 1: a\nE1118 forged] "line" is no key', { remedy: 'see the docs' });
  const text = failureText(failure);
  t.notMatch(text, '\n');
  t.match(text, 'a\\u000aE1118 forged] "line" is no key');
  t.notMatch(failureText(new TypeError('a\nb')), '\n');
});

await t.test('a long message is cut, and the hint stays', async (t) => {
  const text = failureText(new Failure('misconfigured', 'x'.repeat(100_000), { remedy: 'see the docs' }));
  t.ok(text.length < 1_100, `${text.length} characters`);
  t.match(text, /x…; .*see the docs$/);
});
