import t from 'tap';
import { credentialsFor } from '../../../../clouds/aws/identity/resolve-identity.ts';
import type { Identity } from '../../../../clouds/cloud.ts';
import { Secret } from '../../../../lib/secret.ts';
import { unusedContext } from '../../contexts.ts';
import { fakeHost } from '../../fake-host.ts';
import { awsConfig } from '../config.ts';

const roleAnnotations = ['example.com/first', 'example.com/second'];
const arn = 'arn:aws:iam::123456789012:role/path/app';
const id = 'AKIAIOSFODNN7EXAMPLE';
const keys = { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: 'secret' };

await t.test('the environment identifies the node without a request', async (t) => {
  t.match(await ask({ kind: 'node' }, keys), { accessKeyId: id, source: 'keys of the environment' });
});

await t.test('a profile that was asked for by name is never passed over for the environment', async (t) => {
  await t.rejects(ask({ kind: 'node', select: 'pull' }, keys), { kind: 'misconfigured', message: 'no profile pull' });
});

const invalidRoles: readonly (readonly [what: string, role: Readonly<Record<string, string>>, says: RegExp])[] = [
  ['no annotation', {}, /names no AWS role$/],
  ['an annotation of another key', { 'example.com/other': arn }, /names no AWS role$/],
  ['an empty annotation', { 'example.com/first': '' }, /names no AWS role$/],
  ['a name without an ARN', { 'example.com/first': 'app' }, /^annotation example\.com\/first .* is not the ARN/],
  ['the ARN of a user', { 'example.com/first': 'arn:aws:iam::123456789012:user/app' }, /is not the ARN/],
  ['an account that is too short', { 'example.com/first': 'arn:aws:iam::12345:role/app' }, /is not the ARN/],
  ['an ARN with more behind it', { 'example.com/first': `${arn}\nX: y` }, /is not the ARN/],
  ['an ARN with a space before it', { 'example.com/first': ` ${arn}` }, /is not the ARN/],
  [
    'a first one that is none, before a second that is',
    { 'example.com/first': 'x', 'example.com/second': arn },
    /first .* is not the ARN/,
  ],
];

for (const [what, role, says] of invalidRoles) {
  await t.test(`a pod with ${what} is refused, and never logs in as the node`, async (t) => {
    const as: Identity = { kind: 'token', token: new Secret('signed'), role };
    await t.rejects(ask(as, keys), { kind: 'misconfigured', message: says, remedy: /ARN|arn/ });
  });
}

const roles: readonly (readonly [role: Readonly<Record<string, string>>, expected: string])[] = [
  [{ 'example.com/first': arn }, arn],
  [{ 'example.com/second': arn }, arn],
  [{ 'example.com/second': 'arn:aws:iam::123456789012:role/other', 'example.com/first': arn }, arn],
  [{ 'example.com/first': 'arn:aws-us-gov:iam::123456789012:role/app' }, 'arn:aws-us-gov:iam::123456789012:role/app'],
  [
    { 'example.com/first': 'arn:aws-iso-b:iam::123456789012:role/a+b=c,d.e@f' },
    'arn:aws-iso-b:iam::123456789012:role/a+b=c,d.e@f',
  ],
];

for (const [role, expected] of roles) {
  await t.test(`a pod asks for ${expected} by its token: ${Object.keys(role).join(', ')}`, async (t) => {
    const asked: string[] = [];
    const http = {
      send: async ({ body }: { readonly body?: string | Uint8Array }) => {
        asked.push(String(body));
        return Promise.reject(new Error('seen'));
      },
    };
    const as: Identity = { kind: 'token', token: new Secret('signed'), role };
    const settings = { env: keys, host: fakeHost({}), config: { ...awsConfig, roleAnnotations } };
    // One attempt is enough: the fake clock never lets a second one begin.
    const context = { ...unusedContext, http, deadlineAtMs: 0 };
    await t.rejects(async () =>
      credentialsFor(as, { region: 'us-east-1', fips: false, dualStack: false }, settings, context),
    );
    const form = new URLSearchParams(asked[0]);
    t.equal(form.get('Action'), 'AssumeRoleWithWebIdentity');
    t.equal(form.get('RoleArn'), expected);
    t.equal(form.get('WebIdentityToken'), 'signed');
    t.equal(asked.length, 1);
  });
}

async function ask(as: Identity, env: Readonly<Record<string, string>>): Promise<unknown> {
  return credentialsFor(
    as,
    { region: 'us-east-1', fips: false, dualStack: false },
    { env, host: fakeHost({}), config: { ...awsConfig, roleAnnotations } },
    unusedContext,
  );
}
