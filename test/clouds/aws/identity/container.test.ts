import t from 'tap';
import { containerCredentials, hasContainerEndpoint } from '../../../../clouds/aws/identity/container.ts';
import type { HttpRequest } from '../../../../lib/http/http.ts';
import { unusedContext } from '../../contexts.ts';
import { fakeHost } from '../../fake-host.ts';
import { awsConfig } from '../config.ts';

const answer = { AccessKeyId: 'ASIAIOSFODNN7EXAMPLE', SecretAccessKey: 'secret', Token: 'session' };
const full = 'AWS_CONTAINER_CREDENTIALS_FULL_URI';
const relative = 'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI';
const tokenFile = 'AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE';
const tokenInClear = 'AWS_CONTAINER_AUTHORIZATION_TOKEN';

const allowed: readonly (readonly [env: Readonly<Record<string, string>>, href: string])[] = [
  [{ [full]: 'http://169.254.170.23/v1/credentials' }, 'http://169.254.170.23/v1/credentials'],
  [{ [full]: 'http://[fd00:ec2::23]/v1/credentials' }, 'http://[fd00:ec2::23]/v1/credentials'],
  [{ [full]: 'http://[FD00:EC2:0::23]/v1' }, 'http://[fd00:ec2::23]/v1'],
  [{ [full]: 'http://169.254.170.2:80/v2' }, 'http://169.254.170.2/v2'],
  [{ [full]: 'http://127.0.0.1:8080/c' }, 'http://127.0.0.1:8080/c'],
  [{ [full]: 'http://127.1/c' }, 'http://127.0.0.1/c'],
  [{ [full]: 'http://localhost/c' }, 'http://localhost/c'],
  [{ [full]: 'http://[::1]:1/c' }, 'http://[::1]:1/c'],
  [{ [full]: 'https://credentials.example/c?d=e' }, 'https://credentials.example/c?d=e'],
  [{ [relative]: '/v2/credentials/x' }, 'http://169.254.170.2/v2/credentials/x'],
  [{ [relative]: '/v2/x', [full]: 'http://127.0.0.1/other' }, 'http://169.254.170.2/v2/x'],
];

for (const [env, href] of allowed) {
  await t.test(`${JSON.stringify(env)} is asked at ${href}, past every proxy`, async (t) => {
    const { requests, credentials } = await ask(env);
    t.equal(requests.length, 1);
    t.match(requests[0], { method: 'GET', route: 'direct' });
    t.equal(requests[0]?.url.href, href);
    t.strictSame(requests[0]?.headers, {});
    t.match(credentials, { accessKeyId: answer.AccessKeyId });
  });
}

const forbidden: readonly Readonly<Record<string, string>>[] = [
  { [full]: 'http://169.254.169.254/latest' },
  { [full]: 'http://169.254.170.23.evil.example/c' },
  { [full]: 'http://169.254.170.23@evil.example/c' },
  { [full]: 'http://127.0.0.1.evil.example/c' },
  { [full]: 'http://localhost.evil.example/c' },
  { [full]: 'http://xlocalhost/c' },
  { [full]: 'http://10.0.0.1/c' },
  { [full]: 'http://[fd00:ec2::254]/c' },
  { [full]: 'http://credentials.example/c' },
  { [full]: 'ftp://127.0.0.1/c' },
  { [full]: 'file:///etc/passwd' },
  { [full]: 'not an address' },
  { [full]: 'localhost:8080' },
  { [relative]: '@evil.example/c' },
  { [relative]: '.evil.example/c' },
  { [relative]: '5.evil.example' },
  { [relative]: ':8080@evil.example/' },
];

for (const env of forbidden) {
  await t.test(`${JSON.stringify(env)} is an address that is not allowed`, async (t) => {
    const { requests, error } = await ask({ ...env, [tokenInClear]: 'hunter2' });
    t.strictSame(requests, []);
    t.match(error, { kind: 'misconfigured', message: /is not allowed$/ });
    t.notMatch(String(error), 'hunter2');
  });
}

const endpointVariable = { [full]: 'http://127.0.0.1/c' };
const tokens: readonly (readonly [env: Readonly<Record<string, string>>, authorization: string | undefined])[] = [
  [{}, undefined],
  [{ [tokenInClear]: 'plain' }, 'plain'],
  [{ [tokenFile]: '/token' }, 'from-file'],
  [{ [tokenFile]: '/token', [tokenInClear]: 'plain' }, 'from-file'],
  [{ [tokenFile]: '', [tokenInClear]: 'plain' }, 'plain'],
  [{ [tokenFile]: '' }, undefined],
  [{ [tokenInClear]: '' }, undefined],
];

for (const [env, authorization] of tokens) {
  await t.test(`with ${JSON.stringify(env)} the authorization is ${authorization ?? 'none'}`, async (t) => {
    const { requests } = await ask({ ...endpointVariable, ...env });
    t.equal(requests.length, 1);
    t.equal(requests[0]?.headers['authorization'], authorization);
  });
}

for (const env of [
  { [tokenFile]: '/missing' },
  { [tokenFile]: '/empty' },
  { [tokenFile]: '/two-lines' },
  { [tokenInClear]: 'a\r\nX: y' },
]) {
  await t.test(`with ${JSON.stringify(env)} no request is sent`, async (t) => {
    const { requests, error } = await ask({ ...endpointVariable, ...env });
    t.strictSame(requests, []);
    t.match(error, { kind: 'misconfigured', message: /token .* unusable$/ });
  });
}

await t.test('the endpoint is named by either variable, if it is not empty', (t) => {
  t.equal(hasContainerEndpoint({ [full]: 'x' }), true);
  t.equal(hasContainerEndpoint({ [relative]: 'x' }), true);
  t.equal(hasContainerEndpoint({ [full]: '', [relative]: '' }), false);
  t.equal(hasContainerEndpoint({}), false);
  t.end();
});

interface Outcome {
  readonly requests: readonly HttpRequest[];
  readonly credentials: unknown;
  readonly error: unknown;
}

async function ask(env: Readonly<Record<string, string>>): Promise<Outcome> {
  const requests: HttpRequest[] = [];
  const http = {
    send: async (request: HttpRequest) => {
      requests.push(request);
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
    },
  };
  const host = fakeHost({ '/token': 'from-file\n', '/empty': '\n', '/two-lines': 'one\ntwo' });
  const settings = { env, host, config: awsConfig };
  const pending = containerCredentials({
    settings,
    variant: { region: 'us-east-1', fips: false, dualStack: false },
    context: { ...unusedContext, http },
  });
  return pending.then(
    (credentials) => ({ requests, credentials, error: undefined }),
    (error: unknown) => ({ requests, credentials: undefined, error }),
  );
}
