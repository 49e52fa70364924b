import t from 'tap';
import { looksLikeKeys } from '../../../../clouds/aws/identity/credentials.ts';
import { environmentKeys } from '../../../../clouds/aws/identity/environment.ts';
import { Failure } from '../../../../lib/failure.ts';

const id = 'AKIAIOSFODNN7EXAMPLE';
const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';

const rows: readonly (readonly [what: string, keys: readonly [string, string, string | undefined], usable: boolean])[] =
  [
    ['a pair', [id, secret, undefined], true],
    ['a pair and a session', [id, secret, 'IQoJb3JpZ2luX2VjE=='], true],
    ['an id that is too short', ['AKIA', secret, undefined], false],
    ['an id with a line break', [`${id}\n`, secret, undefined], false],
    ['an id with other characters', ['AKIAIOSFODNN7-EXAMPLE', secret, undefined], false],
    ['an id that is too long', ['A'.repeat(129), secret, undefined], false],
    ['an empty secret', [id, '', undefined], false],
    ['a secret with a space', [id, `${secret} `, undefined], false],
    ['a secret with a line break', [id, `${secret}\r\nX-Header: v`, undefined], false],
    ['an empty session', [id, secret, ''], false],
    ['a session with a line break', [id, secret, 'a\nb'], false],
    ['an endless session', [id, secret, 'a'.repeat(16_385)], false],
  ];

for (const [what, keys, usable] of rows) {
  await t.test(`${what} ${usable ? 'looks' : 'does not look'} like keys`, (t) => {
    t.equal(looksLikeKeys(...keys), usable);
    t.end();
  });
}

await t.test('keys of the environment are taken', (t) => {
  const keys = environmentKeys({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: 'session' });
  t.match(keys, { accessKeyId: id, source: 'keys of the environment' });
  t.equal(keys?.secretAccessKey.reveal(), secret);
  t.equal(keys?.sessionToken?.reveal(), 'session');
  t.equal(keys?.expiresAtMs, undefined);
  t.notOk('sessionToken' in (environmentKeys({ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret }) ?? {}));
  t.end();
});

for (const env of [{}, { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '' }, { AWS_SESSION_TOKEN: 'session' }]) {
  await t.test(`with ${JSON.stringify(env)} there are none`, (t) => {
    t.equal(environmentKeys(env), undefined);
    t.end();
  });
}

const mistakes: readonly (readonly [env: Readonly<Record<string, string>>, says: RegExp])[] = [
  [{ AWS_ACCESS_KEY_ID: id }, /only one of/],
  [{ AWS_SECRET_ACCESS_KEY: secret }, /only one of/],
  [{ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: '' }, /only one of/],
  [{ AWS_ACCESS_KEY_ID: 'nonsense', AWS_SECRET_ACCESS_KEY: secret }, /are not keys/],
  [{ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: `${secret}\n` }, /are not keys/],
  [{ AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: 'a b' }, /are not keys/],
];

for (const [env, says] of mistakes) {
  await t.test(`an error, not an absence: ${Object.keys(env).join(', ')} ${says.source}`, (t) => {
    try {
      environmentKeys(env);
      t.fail('it was taken');
    } catch (error) {
      t.ok(error instanceof Failure);
      t.match(error, { kind: 'misconfigured', message: says });
      for (const value of Object.values(env)) if (value !== '') t.notMatch(String(error), value);
    }
    t.end();
  });
}
