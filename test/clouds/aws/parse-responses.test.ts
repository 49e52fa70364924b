import t from 'tap';
import { parseRoleCredentials } from '../../../clouds/aws/identity/instance-role.ts';
import { parseProcessCredentials } from '../../../clouds/aws/identity/process.ts';
import { parseLogin } from '../../../clouds/aws/registry/login.ts';

const keys = {
  AccessKeyId: 'ASIAIOSFODNN7EXAMPLE',
  SecretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
  Expiration: '2026-11-18T18:00:00Z',
};
const expiresAtMs = Date.parse(keys.Expiration);
const role = { Code: 'Success', Type: 'AWS-HMAC', LastUpdated: '2026-11-18T12:00:00Z', ...keys, Token: 'session' };
const origin = { target: 'the metadata service', source: 'instance role web' };

await t.test('the credentials of a role are read', (t) => {
  const found = parseRoleCredentials(JSON.stringify(role), origin);
  t.match(found, { accessKeyId: keys.AccessKeyId, expiresAtMs, source: 'instance role web' });
  t.equal(found.secretAccessKey.reveal(), keys.SecretAccessKey);
  t.equal(found.sessionToken?.reveal(), 'session');
  t.notMatch(JSON.stringify(found), /wJalr|session"/);
  t.end();
});

for (const Expiration of [undefined, '', 'soon', '2026-99-99T00:00:00Z']) {
  await t.test(`an expiry that is none is left out: ${String(Expiration)}`, (t) => {
    t.notOk('expiresAtMs' in parseRoleCredentials(JSON.stringify({ ...role, Expiration }), origin));
    t.end();
  });
}

const unusableRoles: readonly (readonly [answer: unknown, says: RegExp])[] = [
  ['', /lack form/],
  ['<html>', /lack form/],
  [null, /lack form/],
  [[], /lack form/],
  [{ ...role, AccessKeyId: undefined }, /lack AccessKeyId/],
  [{ ...role, SecretAccessKey: 7 }, /lack SecretAccessKey/],
  [{ ...role, Token: null }, /lack Token/],
  [
    { ...role, Code: 'AssumeRoleUnauthorizedAccess' },
    /no credentials for instance role web \(AssumeRoleUnauthorizedAccess\)/,
  ],
  [{ ...role, Code: 'A\nB <b>' }, /\(it does not say why\)/],
  [{ ...role, SecretAccessKey: 'a\r\nb' }, /are not keys/],
  [{ ...role, Token: '' }, /are not keys/],
  [{ ...role, AccessKeyId: '__proto__' }, /are not keys/],
];

for (const [answer, says] of unusableRoles) {
  await t.test(
    `an answer for a role that cannot be used: ${says.source}, ${JSON.stringify(answer).slice(0, 30)}`,
    (t) => {
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      t.throws(() => parseRoleCredentials(text, origin), {
        kind: 'invalid-response',
        message: new RegExp(`^the metadata service answered, but .*${says.source}`),
      });
      t.end();
    },
  );
}

await t.test('what a credential_process prints is read', (t) => {
  const found = parseProcessCredentials(
    JSON.stringify({ Version: 1, ...keys, SessionToken: 'session' }),
    'the process',
  );
  t.match(found, { accessKeyId: keys.AccessKeyId, expiresAtMs, source: 'the process' });
  t.equal(found.sessionToken?.reveal(), 'session');
  const lasting = parseProcessCredentials(
    JSON.stringify({ Version: 1, ...keys, Expiration: undefined }),
    'the process',
  );
  t.notOk('expiresAtMs' in lasting);
  t.notOk('sessionToken' in lasting);
  t.end();
});

const unusableOutputs: readonly string[] = [
  '',
  'error: no such profile',
  'null',
  '[]',
  JSON.stringify(keys),
  JSON.stringify({ Version: 2, ...keys }),
  JSON.stringify({ Version: '1', ...keys }),
  JSON.stringify({ Version: 1, ...keys, SecretAccessKey: undefined }),
  JSON.stringify({ Version: 1, ...keys, AccessKeyId: 'a b' }),
  JSON.stringify({ Version: 1, ...keys, SessionToken: 'a\nb' }),
  `${JSON.stringify({ Version: 1, ...keys })}\nand more`,
];

for (const output of unusableOutputs) {
  await t.test(`output that cannot be used is not quoted: ${output.slice(0, 40)}`, (t) => {
    t.throws(() => parseProcessCredentials(output, 'the process'), {
      kind: 'misconfigured',
      message: 'the process printed no usable credentials',
    });
    t.end();
  });
}

const target = 'api.ecr.us-east-1.amazonaws.com';
const expiresAt = new Date('2026-11-19T00:00:00Z');

await t.test('an authorization token is read as user and password', (t) => {
  const login = parseLogin(
    { authorizationToken: base64('AWS:eyJwYXlsb2Fk:with=more'), expiresAt, proxyEndpoint: 'x' },
    target,
  );
  t.match(login, { username: 'AWS', expiresAtMs: expiresAt.getTime(), endsWithToken: false });
  t.equal(login.password.reveal(), 'eyJwYXlsb2Fk:with=more', 'a colon in it is a part of it');
  t.end();
});

await t.test('without an expiry there is none, and one that has passed is kept as it is', (t) => {
  t.notOk('expiresAtMs' in parseLogin({ authorizationToken: base64('AWS:word') }, target));
  const passed = parseLogin({ authorizationToken: base64('AWS:word'), expiresAt: new Date(0) }, target);
  t.equal(passed.expiresAtMs, 0);
  t.end();
});

await t.test('with an invalid expiry the login is valid and must not be cached', (t) => {
  for (const oddity of ['tomorrow', new Date(Number.NaN), 7, null]) {
    const login = parseLogin({ authorizationToken: base64('AWS:word'), expiresAt: oddity }, target);
    t.notOk('expiresAtMs' in login, String(oddity));
  }
  t.end();
});

const unusableTokens: readonly (readonly [what: string, answer: unknown])[] = [
  ['nothing', undefined],
  ['null', null],
  ['a list', []],
  ['no token', { expiresAt }],
  ['a token that is no text', { authorizationToken: 7, expiresAt }],
  ['an empty token', { authorizationToken: '', expiresAt }],
  ['a token that is no base64', { authorizationToken: '<html>', expiresAt }],
  ['no colon', { authorizationToken: base64('AWSword'), expiresAt }],
  ['no user', { authorizationToken: base64(':word'), expiresAt }],
  ['no password', { authorizationToken: base64('AWS:'), expiresAt }],
  ['a password with a line break', { authorizationToken: base64('AWS:wo\nrd'), expiresAt }],
  ['a password with a zero', { authorizationToken: base64('AWS:wo\0rd'), expiresAt }],
  ['a user with a space', { authorizationToken: base64('A WS:word'), expiresAt }],
  ['a password that is not ASCII', { authorizationToken: base64('AWS:wörd'), expiresAt }],
  ['bytes that are no text', { authorizationToken: Buffer.from([0xff, 0x3a, 0xfe]).toString('base64'), expiresAt }],
];

for (const [what, answer] of unusableTokens) {
  await t.test(`an answer with ${what} is no login`, (t) => {
    t.throws(() => parseLogin(answer, target), {
      kind: 'invalid-response',
      message: `${target} answered without a usable authorization token`,
    });
    t.end();
  });
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
