import t from 'tap';
import { createRedactor } from '../../../lib/registry-login/redactor.ts';
import { Secret } from '../../../lib/secret.ts';

function redact(text: string, ...secrets: readonly string[]): string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.hide(new Secret(secret));
  return redactor.redact(text);
}

await t.test('the result is one line of printable characters', (t) => {
  t.equal(redact('one\r\ntwo\u2028three\u001b[31mfour'), 'one two three [31mfour');
  t.end();
});

await t.test('a secret that starts like another one is masked whole, in any order', (t) => {
  t.equal(redact('see abcdefgh and abcd', 'abcd', 'abcdefgh'), 'see *** and ***');
  t.equal(redact('see abcdefgh and abcd', 'abcdefgh', 'abcd'), 'see *** and ***');
  t.end();
});

await t.test('a secret with special characters of regular expressions is masked', (t) => {
  t.equal(redact('see $&.*(x)[', '$&.*(x)['), 'see ***');
  t.end();
});

await t.test('an empty secret masks nothing', (t) => {
  t.equal(redact('see this', ''), 'see this');
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
  await t.test(`${what} is masked without having been registered`, (t) => {
    const line = redact(`got (${text}) from there`);
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
  await t.test(`${text.slice(0, 70)} is not masked`, (t) => {
    t.equal(redact(`see ${text}, please`), `see ${text}, please`);
    t.end();
  });
}
