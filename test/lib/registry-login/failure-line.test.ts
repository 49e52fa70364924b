import t from 'tap';
import { Failure } from '../../../lib/failure.ts';
import { failureLine, noteLine } from '../../../lib/registry-login/failure-line.ts';
import { createRedactor } from '../../../lib/registry-login/redactor.ts';
import { Secret } from '../../../lib/secret.ts';

const program = 'polycloud-credential-provider';

await t.test('a failure is its message and a hint', (t) => {
  const failure = new Failure('denied', 'registry.example denied it', { remedy: 'allow it' });
  t.equal(failureLine(program, failure, createRedactor()), `${program}: registry.example denied it; hint: allow it`);
  t.end();
});

for (const odd of [
  new TypeError('a secret: abcdefgh'),
  'abcdefgh',
  { secret: 'abcdefgh' },
  undefined,
  null,
  7n,
  Symbol('abcdefgh'),
]) {
  await t.test(`the content of another error is not printed: ${typeof odd}`, (t) => {
    const line = failureLine(program, odd, createRedactor());
    t.match(line, /^polycloud-credential-provider: internal error \(\w+\); hint: /);
    t.notMatch(line, 'abcdefgh');
    t.end();
  });
}

await t.test('it is always one line of printable characters', (t) => {
  for (let code = 0; code < 0x3000; code += 1) {
    const text = `a${String.fromCodePoint(code)}b`;
    const line = failureLine(program, new Failure('denied', text, { remedy: text }), createRedactor());
    if (!/^[\x20-\x7e…]+$/.test(line)) t.fail(`U+${code.toString(16)} came through`);
  }
  t.end();
});

const longMessages = [
  'word '.repeat(500),
  'a.'.repeat(5_000),
  '\n'.repeat(5_000),
  'é'.repeat(5_000),
  `${'x'.repeat(60)} `.repeat(99),
];
for (const message of longMessages) {
  await t.test(
    `it is short, even for ${message.length} characters such as ${JSON.stringify(message.slice(0, 10))}`,
    (t) => {
      const failure = new Failure('denied', message, { remedy: message });
      const [line, note] = [
        failureLine(program, failure, createRedactor()),
        noteLine(program, message, createRedactor()),
      ];
      t.ok(line.length <= 480);
      t.ok(note.length <= 110);
      t.ok(`${line}\n${note}\n`.length <= 600, 'both lines together');
      t.end();
    },
  );
}

await t.test('secrets are masked in the message, in the hint and in a note', (t) => {
  const failure = new Failure('denied', 'with hunter2! and hunter2!', { remedy: 'not hunter2!' });
  const redactor = createRedactor();
  redactor.hide(new Secret('hunter2!'));
  t.equal(failureLine(program, failure, redactor), `${program}: with *** and ***; hint: not ***`);
  t.equal(noteLine(program, 'say hunter2!', redactor), `${program}: say ***`);
  t.end();
});
