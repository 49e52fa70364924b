import t from 'tap';
import { openMetadata } from '../../../../clouds/aws/metadata/session.ts';
import type { Context } from '../../../../lib/context.ts';
import type { HttpRequest, HttpResponse } from '../../../../lib/http/http.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { unusedContext } from '../../contexts.ts';

type FakeResponse = Omit<HttpResponse, 'body' | 'headers'> & {
  readonly text: string;
  readonly headers?: Record<string, string>;
};
type Handle = (request: HttpRequest, attempt: number) => FakeResponse;

const token: FakeResponse = { status: 200, text: 'the-session' };
const endpoint = 'AWS_EC2_METADATA_SERVICE_ENDPOINT';

await t.test('a session is begun once, and what is read carries it', async (t) => {
  const { context, requests } = createFixture((request) =>
    request.method === 'PUT' ? token : { status: 200, text: ' value\n' },
  );
  const metadata = await openMetadata({}, context);
  t.equal(await metadata.read('meta-data/a'), 'value');
  t.equal(await metadata.read('meta-data/b/'), 'value');
  t.strictSame(
    requests.map(({ method, url, route }) => [method, url.href, route]),
    [
      ['PUT', 'http://169.254.169.254/latest/api/token', 'direct'],
      ['GET', 'http://169.254.169.254/latest/meta-data/a', 'direct'],
      ['GET', 'http://169.254.169.254/latest/meta-data/b/', 'direct'],
    ],
  );
  t.match(requests[0]?.headers, { 'x-aws-ec2-metadata-token-ttl-seconds': /^\d+$/ });
  t.strictSame(requests[1]?.headers, { 'x-aws-ec2-metadata-token': 'the-session' });
});

await t.test('what is not there is undefined, not a failure', async (t) => {
  const { context } = createFixture((request) => (request.method === 'PUT' ? token : { status: 404, text: '' }));
  t.equal(await (await openMetadata({}, context)).read('meta-data/iam/info'), undefined);
});

for (const status of [400, 403, 404, 405]) {
  await t.test(`HTTP ${status} to a session is a refusal, and version 1 is never tried`, async (t) => {
    const { context, requests } = createFixture(() => ({ status, text: '' }));
    await t.rejects(openMetadata({}, context), { name: 'Failure', kind: 'denied', remedy: /hop limit/ });
    t.strictSame(
      requests.map(({ method }) => method),
      ['PUT'],
    );
  });
}

for (const { env, asked } of [
  { env: { [endpoint]: 'http://127.0.0.1:1338/' }, asked: 'http://127.0.0.1:1338/latest/api/token' },
  { env: { [endpoint]: '' }, asked: 'http://169.254.169.254/latest/api/token' },
  { env: { AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE: 'IPv6' }, asked: 'http://[fd00:ec2::254]/latest/api/token' },
  { env: { AWS_EC2_METADATA_DISABLED: 'false' }, asked: 'http://169.254.169.254/latest/api/token' },
]) {
  await t.test(`with ${JSON.stringify(env)} it is asked at ${asked}`, async (t) => {
    const { context, requests } = createFixture(() => token);
    await openMetadata(env, context);
    t.strictSame(
      requests.map(({ url }) => url.href),
      [asked],
    );
  });
}

for (const env of [
  { AWS_EC2_METADATA_DISABLED: 'true' },
  { [endpoint]: 'localhost:1338' },
  { [endpoint]: 'not an address' },
  { [endpoint]: 'file:///etc/passwd' },
]) {
  await t.test(`with ${JSON.stringify(env)} no request is sent`, async (t) => {
    await t.rejects(openMetadata(env, unusedContext), { name: 'Failure', kind: 'misconfigured' });
  });
}

await t.test('on a node without IPv4 the other address is asked at once', async (t) => {
  const { context, requests, clock } = createFixture((request) => {
    if (request.url.hostname === '169.254.169.254') throw new NetworkError('unreachable', 'ENETUNREACH');
    return token;
  });
  await openMetadata({}, context);
  t.strictSame(
    requests.map(({ url }) => url.hostname),
    ['169.254.169.254', '[fd00:ec2::254]'],
  );
  t.strictSame(clock.sleepsMs, []);
});

await t.test('if neither responds, the message names the first address', async (t) => {
  const { context, clock } = createFixture((request) => {
    throw new NetworkError(request.url.hostname.startsWith('[') ? 'unreachable' : 'connect-timeout', '');
  });
  const opening = t.rejects(openMetadata({}, context), {
    name: 'Failure',
    kind: 'unavailable',
    message: /at 169\.254\.169\.254: no connection within/,
    remedy: /^off AWS /,
  });
  await clock.advance(50_000);
  await opening;
});

await t.test('a redirect is not followed, nor asked again', async (t) => {
  const { context, requests } = createFixture((request) =>
    request.method === 'PUT' ? token : { status: 307, text: '', headers: { location: 'http://evil.example' } },
  );
  const metadata = await openMetadata({}, context);
  await t.rejects(metadata.read('x'), { name: 'Failure', kind: 'misconfigured' });
  t.equal(requests.length, 2);
});

await t.test('errors of its own pass, and a wait that it asks for is kept', async (t) => {
  const { context, clock } = createFixture((_request, attempt) =>
    attempt < 3 ? { status: 503, text: '', headers: { 'retry-after': '2' } } : token,
  );
  const opening = openMetadata({}, context);
  await clock.advance(10_000);
  await opening;
  t.strictSame(clock.sleepsMs, [2_000, 2_000]);
});

for (const text of ['', 'two\nlines', 'a b', 'x'.repeat(4_097), 'é']) {
  await t.test(`a session that is none is not used: ${JSON.stringify(text.slice(0, 12))}`, async (t) => {
    const { context, requests, clock } = createFixture(() => ({ status: 200, text }));
    const opening = t.rejects(openMetadata({}, context), { name: 'Failure', kind: 'invalid-response' });
    await clock.advance(50_000);
    await opening;
    t.ok(requests.every(({ method }) => method === 'PUT'));
  });
}

interface MetadataFixture {
  readonly context: Context;
  readonly requests: readonly HttpRequest[];
  readonly clock: ReturnType<typeof createFakeClock>;
}

function createFixture(handle: Handle): MetadataFixture {
  const requests: HttpRequest[] = [];
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const http = {
    send: async (request: HttpRequest): Promise<HttpResponse> => {
      const { status, headers = {}, text } = handle(request, requests.push(request));
      return { status, headers, body: Buffer.from(text) };
    },
  };
  return { context: { ...unusedContext, http, clock }, requests, clock };
}
