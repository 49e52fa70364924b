import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { durationFlag, switchFlag, textFlag, wholeNumberFlag } from '../../../lib/command-line/flag-values.ts';

const given = {
  '--text': 'a',
  '--on': 'true',
  '--off': 'false',
  '--wait': '1m30s',
  '--port': '10258',
  '--odd': 'pass-word',
};
const ports = { lowest: 0, highest: 65_535 };

await t.test('what was given', (t) => {
  t.equal(textFlag(given, '--text', 'b'), 'a');
  t.equal(switchFlag(given, '--on', false), true);
  t.equal(switchFlag(given, '--off', true), false);
  t.equal(durationFlag(given, '--wait', 5), 90_000);
  t.equal(wholeNumberFlag(given, '--port', 1, ports), 10_258);
  t.end();
});

await t.test('what was not given', (t) => {
  t.equal(textFlag(given, '--none', 'b'), 'b');
  t.equal(switchFlag(given, '--none', true), true);
  t.equal(durationFlag(given, '--none', 5), 5);
  t.equal(wholeNumberFlag(given, '--none', 1, ports), 1);
  t.end();
});

await t.test('a wrong value names its flag, not itself', (t) => {
  const misread = [
    (): unknown => durationFlag(given, '--odd', 5),
    (): unknown => wholeNumberFlag(given, '--odd', 5, ports),
    (): unknown => wholeNumberFlag({ '--odd': '65536' }, '--odd', 5, ports),
    (): unknown => wholeNumberFlag({ '--odd': '-1' }, '--odd', 5, ports),
  ];
  for (const read of misread) {
    const error = thrownBy(read);
    t.ok(error instanceof Failure && error.kind === 'misconfigured');
    t.match(error, { message: /--odd/ });
    t.notMatch(String(error), /pass-word|65536/);
  }
  t.end();
});

function thrownBy(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}
