import { request as httpRequest } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { buffer } from 'node:stream/consumers';
import t from 'tap';
import { createAuthority } from '../authority.ts';
import { aws } from './aws/cloud.ts';
import type { Fault } from './faults.ts';
import type { LabCloud } from './lab-cloud.ts';
import { runOnLoopback } from './loopback.ts';

const lab = await runOnLoopback(aws, { plain: ['imds'] });
t.teardown(lab.stop);
t.beforeEach(() => lab.reset());

interface RequestResult {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const answers: readonly { readonly fault: Fault; readonly expected: object }[] = [
  {
    fault: { service: 'ecr', kind: 'status', status: 503, headers: { 'x-seen': 'yes' }, body: 'down' },
    expected: { status: 503, headers: { 'x-seen': 'yes' }, body: 'down' },
  },
  {
    fault: { service: 'ecr', kind: 'throttle', retryAfterS: 7 },
    expected: {
      status: 400,
      headers: { 'retry-after': '7' },
      body: '{"__type":"ThrottlingException","message":"Rate exceeded"}',
    },
  },
  { fault: { service: 'sts', kind: 'throttle' }, expected: { status: 400, body: /<Code>Throttling<\/Code>/ } },
  { fault: { service: 'imds', kind: 'throttle' }, expected: { status: 429 } },
  { fault: { service: 'imds', kind: 'throttle', status: 503 }, expected: { status: 503 } },
  {
    fault: { service: 'ecr', kind: 'redirect', status: 307, location: 'http://127.0.0.1:1/' },
    expected: { status: 307, headers: { location: 'http://127.0.0.1:1/' } },
  },
  { fault: { service: 'ecr', kind: 'garbage' }, expected: { status: 200, body: /no format/ } },
  { fault: { service: 'ecr', kind: 'empty' }, expected: { status: 200, body: '' } },
];

for (const { fault, expected } of answers) {
  await t.test(`${fault.service}: ${fault.kind}`, async (t) => {
    await lab.addFault(fault);
    t.match(await ask(lab, fault.service), expected);
    t.match((await lab.requests()).at(-1), { service: fault.service, path: '/', connection: Number });
  });
}

await t.test('huge: as much as was asked for', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'huge', sizeMb: 3 });
  t.equal((await ask(lab, 'ecr')).body.length, 3 * 1024 * 1024);
});

await t.test('delay: the right answer, later', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'delay', delayMs: 150 });
  const startedMs = performance.now();
  t.equal((await ask(lab, 'ecr')).status, 400);
  t.ok(performance.now() - startedMs >= 149);
});

await t.test('hang: no answer, and the connection stays', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'hang' });
  await t.rejects(ask(lab, 'ecr', AbortSignal.timeout(150)), { name: 'AbortError' });
  const [request] = await lab.requests();
  t.ok(request && request.status === undefined, 'arrived, and never answered');
});

await t.test('trickle: a byte at a time, without an end', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'trickle', everyMs: 5 });
  const sent = httpRequest(lab.url('ecr'), { agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: string[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk.toString());
    if (chunks.length === 4) break;
  }
  t.equal(chunks.length, 4);
});

await t.test('reset, cut-off: the connection breaks', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'reset', count: 1 });
  await lab.addFault({ service: 'ecr', kind: 'cut-off', count: 1 });
  await t.rejects(ask(lab, 'ecr'), { code: 'ECONNRESET', message: 'read ECONNRESET' });
  await t.rejects(ask(lab, 'ecr'), { code: 'ECONNRESET', message: 'aborted' });
  t.equal((await ask(lab, 'ecr')).status, 400, 'and then it works again');
});

await t.test('reset, below TLS', async (t) => {
  const authority = await createAuthority(t.testdir());
  const tls = await authority.issue('loopback', ['127.0.0.1']);
  const secured = await runOnLoopback(aws, { plain: ['imds'], tls });
  t.teardown(secured.stop);
  const ca = readFileSync(authority.certificateFile);
  t.match([secured.url('imds'), secured.url('ecr')], [/^http:/, /^https:/]);
  await secured.addFault({ service: 'ecr', kind: 'reset', count: 1 });
  await t.rejects(once(httpsRequest(secured.url('ecr'), { ca, agent: false }).end(), 'response'), {
    code: 'ECONNRESET',
  });
  const [response] = (await once(httpsRequest(secured.url('ecr'), { ca, agent: false }).end(), 'response')) as [
    IncomingMessage,
  ];
  t.equal(response.resume().statusCode, 400);
  t.same(
    (await secured.requests()).map(({ connection }) => connection),
    [1, 2],
  );
});

await t.test('refuse: the ports are closed until a reset', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'refuse' });
  await t.rejects(ask(lab, 'ecr'), { code: 'ECONNREFUSED' });
  t.equal((await ask(lab, 'sts')).status, 400, 'another service still does');
  await lab.reset();
  t.equal((await ask(lab, 'ecr')).status, 400);
});

await t.test('clock: also in the Date header', async (t) => {
  await lab.addFault({ service: 'ecr', kind: 'clock', aheadMs: 3_600_000 });
  const date = Date.parse((await ask(lab, 'ecr')).headers.date ?? '');
  t.ok(Math.abs(date - Date.now() - 3_600_000) < 5000);
});

await t.test('a path prefix and a count', async (t) => {
  await lab.addFault({ service: 'imds', kind: 'status', status: 500, pathPrefix: '/latest/meta-data', count: 2 });
  const statuses = [];
  for (const path of ['/latest/api', '/latest/meta-data/a', '/latest/meta-data/b', '/latest/meta-data/c']) {
    statuses.push((await ask(lab, 'imds', undefined, path)).status);
  }
  t.same(statuses, [401, 500, 500, 401]);
});

await t.test('a service that does not exist', async (t) => {
  await t.rejects(lab.addFault({ service: 'ecs', kind: 'hang' }), /No such service: ecs/);
  t.throws(() => lab.url('ecs'), /No such service: ecs/);
});

await t.test('the log counts connections, and a reset empties it', async (t) => {
  await ask(lab, 'ecr');
  await ask(lab, 'ecr');
  const requests = await lab.requests();
  t.match(requests, [
    { method: 'GET', status: 400, host: /127/ },
    { headers: { 'x-me': 'a, b' }, body: '' },
  ]);
  t.equal(new Set(requests.map(({ connection }) => connection)).size, 2);
  await lab.reset();
  t.same(await lab.requests(), []);
});

async function ask(
  cloud: LabCloud<object>,
  service: string,
  signal?: AbortSignal,
  path?: string,
): Promise<RequestResult> {
  const options = { agent: false, headers: { 'X-Me': ['a', 'b'] }, ...(signal && { signal }) };
  const sent = httpRequest(`${cloud.url(service)}${path ?? '/'}`, options);
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await buffer(response)).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, body };
}
