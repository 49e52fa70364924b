import t from 'tap';
import { pollNotices } from '../../../../clouds/aws/notices/poll.ts';
import type { NoticePoll } from '../../../../clouds/cloud.ts';
import type { Context } from '../../../../lib/context.ts';
import type { HttpRequest } from '../../../../lib/http/http.ts';
import { NetworkError } from '../../../../lib/http/network-error.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { unusedContext } from '../../contexts.ts';
import { runNoticeConformance } from '../../notice-conformance.ts';

const folder = '/latest/meta-data/';
const tokenPath = '/latest/api/token';
const spotPath = `${folder}spot/instance-action`;
const spotText = '{"action":"terminate","time":"2026-11-18T12:02:00Z"}';
const rebalancePath = `${folder}events/recommendations/rebalance`;

await runNoticeConformance(t, () => {
  const service = startService();
  const broken = { status: 500, text: '' };
  return {
    clock: service.clock,
    poll: service.poll,
    announce: () => {
      service.documents.set(spotPath, spotText);
      service.documents.set(rebalancePath, '{"noticeTime":"2026-11-18T12:00:00Z"}');
    },
    withdraw: () => service.documents.clear(),
    fail: () => {
      for (const path of [tokenPath, spotPath, rebalancePath]) service.failing.set(path, broken);
    },
    recover: () => service.failing.clear(),
  };
});

await t.test('one session serves many polls, and slow sources are read less often', async (t) => {
  const service = startService();
  let poll = await service.poll(undefined);
  t.strictSame(service.requests.splice(0).toSorted(), [
    `GET ${folder}autoscaling/target-lifecycle-state`,
    `GET ${folder}events/maintenance/scheduled`,
    `GET ${rebalancePath}`,
    `GET ${spotPath}`,
    'PUT /latest/api/token',
  ]);
  t.strictSame([poll.notices, poll.unread, poll.waitMs], [[], [], 1_000]);
  await service.clock.advance(1_000);
  poll = await service.poll(poll.cursor);
  t.strictSame(service.requests.splice(0).toSorted(), [
    `GET ${folder}autoscaling/target-lifecycle-state`,
    `GET ${spotPath}`,
  ]);
  await service.clock.advance(9_000);
  await service.poll(poll.cursor);
  t.equal(service.requests.length, 4);
});

await t.test('a notice stays while its source is not read, and goes when the service withdraws it', async (t) => {
  const service = startService();
  service.documents.set(rebalancePath, '{"noticeTime":"2026-11-18T12:00:00Z"}');
  let poll = await service.poll(undefined);
  t.equal(poll.notices.length, 1);
  service.documents.delete(rebalancePath);
  await service.clock.advance(1_000);
  poll = await service.poll(poll.cursor);
  t.equal(poll.notices.length, 1, 'not read yet');
  await service.clock.advance(9_000);
  poll = await service.poll(poll.cursor);
  t.strictSame([poll.notices, poll.unread], [[], []]);
});

for (const [what, failing] of Object.entries({
  'an error': { status: 500, text: '' },
  throttling: { status: 429, text: '' },
  'another format': { status: 200, text: '<html>' },
  'no response': new NetworkError('timeout', ''),
})) {
  await t.test(`${what} of one source hides no other, and it is read again at once`, async (t) => {
    const service = startService();
    service.documents.set(spotPath, spotText);
    service.failing.set(rebalancePath, failing);
    let poll = await service.poll(undefined);
    t.match(poll, { notices: [{ source: 'spot' }], unread: [{ source: 'rebalance', failure: { name: 'Failure' } }] });
    service.failing.clear();
    await service.clock.advance(1_000);
    poll = await service.poll(poll.cursor);
    t.match(poll, { notices: [{ source: 'spot' }], unread: [] });
  });
}

await t.test('a session is replaced before its end', async (t) => {
  const service = startService();
  const { cursor } = await service.poll(undefined);
  service.requests.splice(0);
  await service.clock.advance(241_000);
  await service.poll(cursor);
  t.ok(service.requests.includes('PUT /latest/api/token'));
});

await t.test('a session that ended early is replaced at once', async (t) => {
  const service = startService();
  const { cursor } = await service.poll(undefined);
  service.documents.set(spotPath, spotText);
  service.endSessions();
  await service.clock.advance(1_000);
  const poll = await service.poll(cursor);
  t.match(poll, { notices: [{ source: 'spot' }], unread: [] });
  t.strictSame((await service.poll(poll.cursor)).unread, [], 'and the new one is kept');
});

await t.test(
  'a source that refuses every session hides no other, and sessions are not opened all the time',
  async (t) => {
    const service = startService();
    service.failing.set(rebalancePath, { status: 403, text: '' });
    service.documents.set(spotPath, spotText);
    let { cursor } = await service.poll(undefined);
    for (let at = 0; at < 30; at++) {
      await service.clock.advance(2_000);
      const poll = await service.poll(cursor);
      t.match(poll, { notices: [{ source: 'spot' }], unread: [{ source: 'rebalance' }] });
      ({ cursor } = poll);
    }
    t.ok(service.requests.filter((request) => request.startsWith('PUT')).length < 10);
  },
);

await t.test('a session that cannot be replaced does not hide what was read', async (t) => {
  const service = startService();
  const { cursor } = await service.poll(undefined);
  service.documents.set(spotPath, spotText);
  service.failing.set(rebalancePath, { status: 401, text: '' });
  service.failing.set(tokenPath, { status: 500, text: '' });
  await service.clock.advance(10_000);
  t.match(await service.poll(cursor), { notices: [{ source: 'spot' }], unread: [{ source: 'rebalance' }] });
});

await t.test('without a session the error names the hop limit', async (t) => {
  const service = startService();
  service.failing.set(tokenPath, new NetworkError('timeout', ''));
  await t.rejects(service.poll(undefined), {
    name: 'Failure',
    kind: 'unavailable',
    remedy: /^let this node.*hop limit/,
  });
});

await t.test('where the metadata is disabled, nothing is asked', async (t) => {
  const disabled = { env: { AWS_EC2_METADATA_DISABLED: 'true' } };
  await t.rejects(pollNotices(undefined, disabled, unusedContext), { name: 'Failure', kind: 'misconfigured' });
});

interface FakeService {
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly requests: string[];
  readonly documents: Map<string, string>;
  readonly failing: Map<string, NetworkError | { readonly status: number; readonly text: string }>;
  endSessions(): void;
  poll(cursor: unknown): Promise<NoticePoll>;
}

function startService(): FakeService {
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const requests: string[] = [];
  const documents = new Map<string, string>();
  const failing: FakeService['failing'] = new Map();
  let session = 1;
  const respond = ({ method, url, headers }: HttpRequest): { status: number; text: string } => {
    requests.push(`${method} ${url.pathname}`);
    const failure = failing.get(url.pathname);
    if (failure instanceof NetworkError) throw failure;
    if (failure !== undefined) return failure;
    if (method === 'PUT') return { status: 200, text: `session-${String(session)}` };
    if (headers['x-aws-ec2-metadata-token'] !== `session-${String(session)}`) return { status: 401, text: '' };
    const text = documents.get(url.pathname);
    return text === undefined ? { status: 404, text: '' } : { status: 200, text };
  };
  const send: Context['http']['send'] = async (request) => {
    const { status, text } = await Promise.resolve(request).then(respond);
    return { status, headers: {}, body: Buffer.from(text) };
  };
  const context: Context = { ...unusedContext, clock, http: { send } };
  return {
    clock,
    requests,
    documents,
    failing,
    endSessions: () => {
      session += 1;
    },
    poll: (cursor) => pollNotices(cursor, { env: {} }, context),
  };
}
