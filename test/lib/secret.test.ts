import { format, inspect } from 'node:util';
import t from 'tap';
import { Secret } from '../../lib/secret.ts';

const value = 'correct horse battery staple';

await t.test('only reveal gives the value back', (t) => {
  t.equal(new Secret(value).reveal(), value);
  t.end();
});

const ways: Readonly<Record<string, (secret: Secret) => unknown>> = {
  'a template': (secret) => `see ${String(secret)}`,
  joining: (secret) => [secret, secret].join(),
  JSON: (secret) => JSON.stringify({ secret, list: [secret] }),
  inspect: (secret) => inspect({ secret, deeper: { secret } }, { depth: 9, showHidden: true }),
  'format %s': (secret) => format('%s', secret),
  'format %o': (secret) => format('%o', secret),
  'format %j': (secret) => format('%j', secret),
  'its own keys': (secret) => JSON.stringify([Reflect.ownKeys(secret).map(String), Object.entries(secret)]),
  'an error that it caused': (secret) => inspect(new Error('failed', { cause: secret })),
  'a clone': (secret) => JSON.stringify(structuredClone({ secret })),
};

for (const [way, print] of Object.entries(ways)) {
  await t.test(`it does not show by ${way}`, (t) => {
    t.notMatch(String(print(new Secret(value))), value);
    t.end();
  });
}
