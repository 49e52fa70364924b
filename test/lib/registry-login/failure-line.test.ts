import t from 'tap';
import { redact, failureLine, noteLine } from '../../../lib/registry-login/failure-line.ts';
import { Failure } from '../../../lib/failure.ts';

const program = 'polycloud-credential-provider';

await t.test('a failure says what and what to do', (t) => {
  const failure = new Failure('denied', 'registry.example denied it', { remedy: 'allow it' });
  t.equal(failureLine(program, failure, []), `${program}: registry.example denied it; hint: allow it`);
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
  await t.test(`what is no failure is said without its content: ${typeof odd}`, (t) => {
    const line = failureLine(program, odd, []);
    t.match(line, /^polycloud-credential-provider: internal error \(\w+\); hint: /);
    t.notMatch(line, 'abcdefgh');
    t.end();
  });
}

await t.test('it is always one line of printable characters', (t) => {
  for (let code = 0; code < 0x3000; code += 1) {
    const text = `a${String.fromCodePoint(code)}b`;
    const line = failureLine(program, new Failure('denied', text, { remedy: text }), []);
    if (!/^[\x20-\x7e…]+$/.test(line)) t.fail(`U+${code.toString(16)} came through`);
  }
  t.equal(redact('one\r\ntwo\u2028three\u001b[31mfour', []), 'one two three [31mfour');
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
    `it is short, even of ${message.length} characters like ${JSON.stringify(message.slice(0, 10))}`,
    (t) => {
      const failure = new Failure('denied', message, { remedy: message });
      const [line, note] = [failureLine(program, failure, []), noteLine(program, message, [])];
      t.ok(line.length <= 480);
      t.ok(note.length <= 110);
      t.ok(`${line}\n${note}\n`.length <= 600, 'both together are what the kubelet may log');
      t.end();
    },
  );
}

await t.test('known secrets are masked wherever they stand, also in the remedy and in a note', (t) => {
  const failure = new Failure('denied', 'with hunter2! and hunter2!', { remedy: 'not hunter2!' });
  t.equal(failureLine(program, failure, ['hunter2!']), `${program}: with *** and ***; hint: not ***`);
  t.equal(noteLine(program, 'say hunter2!', ['hunter2!']), `${program}: say ***`);
  t.end();
});

await t.test('a secret that begins like another leaves no tail, in whatever order they became known', (t) => {
  t.equal(redact('see abcdefgh and abcd', ['abcd', 'abcdefgh']), 'see *** and ***');
  t.equal(redact('see abcdefgh and abcd', ['abcdefgh', 'abcd']), 'see *** and ***');
  t.end();
});

await t.test('a secret with characters that mean something in patterns is masked', (t) => {
  t.equal(redact('see $&.*(x)[', ['$&.*(x)[']), 'see ***');
  t.end();
});

await t.test('an empty secret masks nothing', (t) => {
  t.equal(redact('see this', ['']), 'see this');
  t.end();
});

const base64 = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 73) % 251)).toString('base64');
const secretLooking: Readonly<Record<string, string>> = {
  'a signed token': `eyJhbGciOiJSUzI1NiJ9.${base64.slice(0, 100).replaceAll(/[+/]/g, '-')}.${base64.slice(0, 86).replaceAll(/[+/]/g, '_')}`,
  'a short signed token': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.c2ln',
  'base64 of some length': base64,
  'a session token': `IQoJb3JpZ2luX2VjE${'aB3'.repeat(80)}`,
};
for (const [what, text] of Object.entries(secretLooking)) {
  await t.test(`${what} is masked without being known`, (t) => {
    const line = redact(`got (${text}) from there`, []);
    for (const part of text.split('.')) t.notMatch(line, part.slice(0, 12));
    t.match(line, /\*\*\*/);
    t.match(line, 'from there');
    t.end();
  });
}

const kept = [
  'arn:aws:sts::123456789012:assumed-role/web/i-0123456789abcdef0',
  'arn:aws:sts::123456789012:assumed-role/eksctl-production-cluster-nodegrou-NodeInstanceRole-1ABCDEFGHIJK/i-0123456789abcdef0',
  `arn:aws:iam::123456789012:role/${'a'.repeat(64)}`,
  'arn:aws:iam::123456789012:role/platform/production/eu-central-1/registry-readers/team-payments-pull-only',
  '123456789012.dkr.ecr.us-east-1.amazonaws.com',
  `${'a'.repeat(63)}.${'b'.repeat(63)}.example`,
  'polycloud.abcdefghijklmnopqrstuvwxyz.abcdefghijklmnopqrstuvwxyz.abcdefghijklmnopqrstuvwxyz.example',
  '/etc/kubernetes/pki/credential-provider/registries/production-eu-central/username',
  '/var/run/secrets/eks.amazonaws.com/serviceaccount/token',
  'ecr:GetAuthorizationToken',
  'https://docs.aws.amazon.com/AmazonECR/latest/userguide/registry_auth.html',
];
for (const text of kept) {
  await t.test(`${text.slice(0, 70)} is kept whole`, (t) => {
    t.equal(redact(`see ${text}, please`, []), `see ${text}, please`);
    t.end();
  });
}
