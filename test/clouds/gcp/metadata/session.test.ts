import t from 'tap';
import { readMetadata } from '../../../../clouds/gcp/metadata/session.ts';
import type { Context } from '../../../../lib/context.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import type { HttpRequest, HttpResponse } from '../../../../lib/http/http.ts';
import { unusedContext } from '../../contexts.ts';
import { startGcpLab } from '../gcp-lab.ts';
import { recorded } from '../recorded.ts';

const { lab, logIn, requestLines: asked } = await startGcpLab(t);
t.beforeEach(() => lab.reset());

const flavored = { 'metadata-flavor': 'Google' };

await t.test('asked with its header, past every proxy, at its address', async (t) => {
  const { context, requests } = scriptedContext([ok('x')]);
  t.equal(await readMetadata('instance/id', {}, context), 'x');
  t.match(requests, [
    { method: 'GET', route: 'direct', headers: { 'metadata-flavor': 'Google' }, url: { host: '169.254.169.254' } },
  ]);
});

await t.test('a node without IPv4 asks the other address at once', async (t) => {
  const { context, requests } = scriptedContext([new NetworkError('unreachable', 'ENETUNREACH'), ok('x')]);
  t.equal(await readMetadata('instance/id', {}, context), 'x');
  t.equal(requests[1]?.url.host, '[fd20:ce::254]');
});

await t.test('only GCE_METADATA_HOST is asked, also with a port or a scheme', async (t) => {
  for (const [named, host] of [
    ['127.0.0.1:8080', '127.0.0.1:8080'],
    ['http://metadata.lab', 'metadata.lab'],
  ]) {
    const { context, requests } = scriptedContext([new NetworkError('refused', 'ECONNREFUSED')]);
    await t.rejects(readMetadata('instance/id', { GCE_METADATA_HOST: named }, context), {
      kind: 'unavailable',
      message: /refused/,
    });
    t.strictSame(
      requests.map(({ url }) => url.host),
      [host],
    );
  }
  const { context } = scriptedContext([]);
  await t.rejects(readMetadata('instance/id', { GCE_METADATA_HOST: 'a b' }, context), {
    kind: 'misconfigured',
    message: 'GCE_METADATA_HOST is not an address',
  });
});

const foreign: readonly (readonly [what: string, response: HttpResponse])[] = [
  ['an answer without the flavor', { status: 200, headers: {}, body: Buffer.from('{"access_token":"x"}') }],
  ['one of another flavor', { status: 200, headers: { 'metadata-flavor': 'google' }, body: Buffer.from('x') }],
  ['AWS’s refusal', { status: 401, headers: { server: 'EC2ws' }, body: Buffer.from('') }],
  ['a page of another server', { status: 404, headers: {}, body: Buffer.from('<html>') }],
  ['a redirect to a sign-in', { status: 302, headers: { location: 'http://evil.example' }, body: Buffer.from('') }],
];
for (const [what, response] of foreign) {
  await t.test(`${what} is not Google’s, and never believed`, async (t) => {
    const { context, requests } = scriptedContext([response, response, response, response]);
    await t.rejects(readMetadata('instance/id', {}, context), {
      kind: 'misconfigured',
      message: /is not Google's metadata server$/,
      remedy: /GOOGLE_APPLICATION_CREDENTIALS/,
    });
    t.equal(requests.length, 1, 'and not asked again');
  });
}

for (const [name, says] of [
  ['gke-metadata-denied', /denied iam\.serviceAccounts\.getAccessToken by IAM$/],
  ['gke-metadata-denied-bare', /denied the service account by IAM$/],
] as const) {
  await t.test(`${name}: the error of IAM from GKE’s server is passed on`, async (t) => {
    const { status, body } = recorded(name);
    const { context } = scriptedContext([{ status, headers: flavored, body: Buffer.from(String(body)) }]);
    await t.rejects(readMetadata('x', {}, context), { kind: 'denied', message: says, remedy: /workloadIdentityUser/ });
  });
}

await t.test('403 without a word', async (t) => {
  const { context } = scriptedContext([{ status: 403, headers: flavored, body: Buffer.from('') }]);
  await t.rejects(readMetadata('x', {}, context), {
    kind: 'denied',
    message: /refused \(HTTP 403\)$/,
    remedy: /proxy/,
  });
});

const passing = [
  { kind: 'status', status: 503, headers: {}, body: '' },
  { kind: 'status', status: 500, headers: flavored, body: '' },
  { kind: 'throttle', retryAfterS: 0 },
  { kind: 'reset' },
  { kind: 'cut-off' },
] as const;
for (const fault of passing) {
  await t.test(`${JSON.stringify(fault)} passes`, async (t) => {
    await lab.addFault({ service: 'metadata', ...fault, count: 2 });
    t.equal((await logIn({ kind: 'node' }, {})).username, 'oauth2accesstoken');
    t.equal((await asked()).length, 3);
  });
}

await t.test('a permanent failure is reported after four attempts', async (t) => {
  await lab.addFault({ service: 'metadata', kind: 'status', status: 503 });
  await t.rejects(logIn({ kind: 'node' }, {}), { kind: 'unavailable', message: /metadata server answered HTTP 503/ });
  t.equal((await asked()).length, 4);
});

for (const kind of ['garbage', 'empty'] as const) {
  await t.test(`a body that is ${kind}, from a server without Google’s header`, async (t) => {
    await lab.addFault({ service: 'metadata', kind });
    await t.rejects(logIn({ kind: 'node' }, {}), { kind: 'misconfigured', message: /not Google's metadata server/ });
  });
}

const unusable = ['', '{}', '[]', 'null', '{"access_token":""}', '{"access_token":"a b"}', '{"access_token":"a\\nb"}'];
for (const body of [...unusable, '{"access_token":7}', '{"access_token":"x","expires_in":"soon"}']) {
  await t.test(`${body || 'nothing'} is no token`, async (t) => {
    await lab.update({ metadata: { 'instance/service-accounts/default/token': body } });
    await t.rejects(logIn({ kind: 'node' }, {}), { kind: 'invalid-response', message: /without a usable token/ });
  });
}

await t.test('expiry: passed, and absent', async (t) => {
  await lab.addFault({ service: 'metadata', kind: 'expired', count: 1 });
  t.ok(((await logIn({ kind: 'node' }, {})).expiresAtMs ?? Infinity) < Date.now());
  await lab.addFault({ service: 'metadata', kind: 'no-expiry', count: 1 });
  t.equal((await logIn({ kind: 'node' }, {})).expiresAtMs, undefined);
});

function ok(text: string): HttpResponse {
  return { status: 200, headers: flavored, body: Buffer.from(text) };
}

interface ScriptedContext {
  readonly context: Context;
  readonly requests: HttpRequest[];
}

/** Answers in this order; the deadline leaves no time for another attempt. */
function scriptedContext(answers: ReadonlyArray<HttpResponse | NetworkError>): ScriptedContext {
  const requests: HttpRequest[] = [];
  const send = async (request: HttpRequest): Promise<HttpResponse> => {
    const answer = answers[requests.length];
    requests.push(request);
    if (answer === undefined || answer instanceof NetworkError) throw answer ?? new NetworkError('refused', '');
    return answer;
  };
  return { context: { ...unusedContext, http: { send }, deadlineAtMs: 0 }, requests };
}
