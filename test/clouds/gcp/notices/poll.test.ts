import t from 'tap';
import { noticeKeys } from '../../../../clouds/gcp/notices/parse.ts';
import { pollNotices } from '../../../../clouds/gcp/notices/poll.ts';
import type { Notice, NoticePoll } from '../../../../clouds/cloud.ts';
import type { Context } from '../../../../lib/context.ts';
import type { HttpRequest, HttpResponse } from '../../../../lib/http/http.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { unusedContext } from '../../contexts.ts';
import { runNoticeConformance } from '../../notice-conformance.ts';

const seenAtMs = Date.parse('2026-11-18T12:00:00Z');
const window = { window_start_time: '2026-11-20T09:00:00.000Z', maintenance_status: 'PENDING', type: 'SCHEDULED' };

for (const [what, source, text, policy, expected] of [
  ['not preempted', 'preempted', 'FALSE', 'MIGRATE', ''],
  ['no value', 'preempted', undefined, 'MIGRATE', ''],
  ['preempted', 'preempted', 'TRUE', 'TERMINATE', 'preempted ends announced within 30 s'],
  ['no maintenance', 'maintenance-event', 'NONE', 'MIGRATE', ''],
  [
    'a live migration',
    'maintenance-event',
    'MIGRATE_ON_HOST_MAINTENANCE',
    'MIGRATE',
    'maintenance-event/MIGRATE_ON_HOST_MAINTENANCE pauses announced within 60 s',
  ],
  [
    'a termination for maintenance',
    'maintenance-event',
    'TERMINATE_ON_HOST_MAINTENANCE',
    'TERMINATE',
    'maintenance-event/TERMINATE_ON_HOST_MAINTENANCE ends announced within 60 s',
  ],
  ['no upcoming maintenance', 'upcoming-maintenance', '{ }', 'TERMINATE', ''],
  ['none', 'upcoming-maintenance', 'NONE', 'TERMINATE', ''],
  [
    'upcoming maintenance of a machine that cannot migrate',
    'upcoming-maintenance',
    JSON.stringify(window),
    'TERMINATE',
    'upcoming-maintenance/2026-11-20T09:00:00.000Z ends announced 2026-11-20T09:00:00.000Z',
  ],
  [
    'upcoming maintenance of a machine that migrates',
    'upcoming-maintenance',
    JSON.stringify({ ...window, maintenance_status: 'ONGOING' }),
    'MIGRATE',
    'upcoming-maintenance/2026-11-20T09:00:00.000Z pauses started 2026-11-20T09:00:00.000Z',
  ],
] as const) {
  await t.test(what, (t) => {
    const parsed = noticeKeys.find((key) => key.source === source)?.parse(text, policy);
    t.equal((parsed ?? []).map((notice) => textOf(notice)).join(', '), expected);
    t.end();
  });
}

for (const [source, text] of [
  ['preempted', '<html>'],
  ['maintenance-event', '<html>'],
  ['upcoming-maintenance', '<html>'],
  ['upcoming-maintenance', '[]'],
  ['upcoming-maintenance', '{"window_start_time":"soon"}'],
  ['upcoming-maintenance', '{"window_start_time":"2026-11-20T09:00:00"}'],
  ['upcoming-maintenance', '{"window_start_time":5}'],
] as const) {
  await t.test(`${source}: ${text} is no answer`, (t) => {
    const key = noticeKeys.find((each) => each.source === source);
    t.throws(() => key?.parse(text, 'MIGRATE'), { name: 'Failure', kind: 'invalid-response' });
    t.end();
  });
}

await runNoticeConformance(t, () => {
  const server = startServer({ holds: false });
  return {
    clock: server.clock,
    poll: server.poll,
    announce: () => server.set('instance/maintenance-event', 'MIGRATE_ON_HOST_MAINTENANCE'),
    withdraw: () => server.set('instance/maintenance-event', 'NONE'),
    fail: () => void (server.failing.status = 500),
    recover: () => void (server.failing.status = 200),
  };
});

await t.test(
  'after the first poll the server holds a request for each key, and a change returns at once',
  async (t) => {
    const server = startServer({ holds: true });
    const first = await server.poll(undefined);
    t.equal(first.waitMs, 100);
    const polling = server.poll(first.cursor);
    await server.clock.advance(5_000);
    server.set('instance/preempted', 'TRUE');
    const poll = await polling;
    t.match(poll, { notices: [{ id: 'preempted', withinMs: 30_000 }], unread: [], waitMs: 100 });
    t.ok(server.requests.some((path) => path.includes('preempted?wait_for_change=true&timeout_sec=30&last_etag=e0')));
    const next = server.poll(poll.cursor);
    await server.clock.advance(30_000);
    t.match(await next, { notices: [{ id: 'preempted' }] }, 'and it stays');
  },
);

await t.test('without a change the poll ends when the server lets go', async (t) => {
  const server = startServer({ holds: true });
  const { cursor } = await server.poll(undefined);
  const polling = server.poll(cursor);
  await server.clock.advance(30_000);
  t.match(await polling, { notices: [], unread: [], waitMs: 100 });
});

await t.test('a server that holds nothing is not asked all the time', async (t) => {
  const server = startServer({ holds: false });
  const { cursor } = await server.poll(undefined);
  t.equal((await server.poll(cursor)).waitMs, 2_000);
});

await t.test('503 without any maintenance so far is no failure, any other is', async (t) => {
  const server = startServer({ holds: false });
  server.set('instance/upcoming-maintenance', undefined);
  t.match(await server.poll(undefined), { notices: [], unread: [] });
  server.failing.path = 'instance/upcoming-maintenance';
  server.failing.status = 503;
  server.set('instance/preempted', 'TRUE');
  t.match(await server.poll(undefined), {
    notices: [{ id: 'preempted' }],
    unread: [{ source: 'upcoming-maintenance', failure: { name: 'Failure' } }],
  });
});

await t.test('a key that fails once does not hide its next value behind the requests that are held', async (t) => {
  const server = startServer({ holds: true });
  let poll = await server.poll(undefined);
  server.failing.path = 'instance/preempted';
  server.failing.status = 500;
  poll = await server.poll(poll.cursor);
  t.match(poll, { unread: [{ source: 'preempted' }], waitMs: 2_000 }, 'at once, not when the others let go');
  server.failing.status = 200;
  server.set('instance/preempted', 'TRUE');
  poll = await server.poll(poll.cursor);
  t.match(poll, { notices: [{ id: 'preempted' }], unread: [] }, 'without waiting for the others');
});

await t.test('a key that always fails hides no other', async (t) => {
  const server = startServer({ holds: true });
  server.failing.path = 'instance/upcoming-maintenance';
  server.failing.status = 500;
  let poll = await server.poll(undefined);
  for (let at = 0; at < 5; at++) {
    await server.clock.advance(poll.waitMs);
    poll = await server.poll(poll.cursor);
    t.match(poll, { notices: [], unread: [{ source: 'upcoming-maintenance' }], waitMs: 2_000 });
  }
  server.set('instance/preempted', 'TRUE');
  t.match(await server.poll(poll.cursor), { notices: [{ id: 'preempted' }] });
});

await t.test('a request that is held for ever does not delay a change of another key', async (t) => {
  const server = startServer({ holds: true });
  const { cursor } = await server.poll(undefined);
  server.failing.hangs = 'instance/maintenance-event';
  const polling = server.poll(cursor);
  await server.clock.advance(3_000);
  server.set('instance/preempted', 'TRUE');
  t.match(await polling, { notices: [{ id: 'preempted' }], unread: [] });
});

await t.test('several keys change at once', async (t) => {
  const server = startServer({ holds: true });
  const { cursor } = await server.poll(undefined);
  const polling = server.poll(cursor);
  await server.clock.advance(3_000);
  server.set('instance/maintenance-event', 'TERMINATE_ON_HOST_MAINTENANCE');
  server.set('instance/preempted', 'TRUE');
  const poll = await polling;
  const idsOf = ({ notices }: NoticePoll): readonly string[] => notices.map(({ id }) => id).toSorted();
  const all = ['maintenance-event/TERMINATE_ON_HOST_MAINTENANCE', 'preempted'];
  // One of them may have ended the request of the other. Its next one returns at once.
  const ids = poll.notices.length < 2 ? idsOf(await server.poll(poll.cursor)) : idsOf(poll);
  t.strictSame(ids, all);
});

await t.test('the policy is read only if a value needs it, and its failure hides no other value', async (t) => {
  const server = startServer({ holds: false });
  let poll = await server.poll(undefined);
  t.notOk(server.requests.some((path) => path.includes('on-host-maintenance')));
  server.set('instance/upcoming-maintenance', JSON.stringify(window));
  server.failing.path = 'instance/scheduling';
  server.failing.status = 500;
  poll = await server.poll(poll.cursor);
  t.match(poll, { notices: [], unread: [{ source: 'upcoming-maintenance' }] });
  server.set('instance/preempted', 'TRUE');
  poll = await server.poll(poll.cursor);
  t.match(poll, { notices: [{ id: 'preempted' }], unread: [{ source: 'upcoming-maintenance' }] });
  server.failing.status = 200;
  poll = await server.poll(poll.cursor);
  t.match(poll.notices, [{ id: 'preempted' }, { source: 'upcoming-maintenance', effect: 'ends' }]);
  server.requests.splice(0);
  await server.poll(poll.cursor);
  t.equal(server.requests.length, 3, 'and once for each value');
});

await t.test('a value that changes all the time does not cause requests all the time', async (t) => {
  const server = startServer({ holds: true });
  let { cursor } = await server.poll(undefined);
  for (let at = 0; at < 5; at++) {
    server.set('instance/maintenance-event', `EVENT_${'X'.repeat(at + 1)}`);
    const poll = await server.poll(cursor);
    t.ok(poll.waitMs >= 500);
    ({ cursor } = poll);
  }
});

interface FakeServer {
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly requests: string[];
  readonly failing: { status: number; path: string; hangs: string | undefined };
  set(path: string, text: string | undefined): void;
  poll(cursor: unknown): Promise<NoticePoll>;
}

function startServer({ holds }: { readonly holds: boolean }): FakeServer {
  const clock = createFakeClock(seenAtMs);
  const requests: string[] = [];
  const failing: FakeServer['failing'] = { status: 200, path: 'instance/', hangs: undefined };
  const values = new Map<string, { readonly text: string | undefined; readonly etag: string }>(
    ['instance/preempted', 'instance/maintenance-event', 'instance/upcoming-maintenance'].map((path) => [
      path,
      { text: path.endsWith('preempted') ? 'FALSE' : 'NONE', etag: 'e0' },
    ]),
  );
  let changes = 0;
  let wake = new AbortController();

  async function respond({ url }: HttpRequest, signal: AbortSignal): Promise<HttpResponse> {
    const path = url.pathname.replace('/computeMetadata/v1/', '');
    requests.push(`${path}${url.search}`);
    if (path === failing.hangs) await clock.sleep(1e9, signal);
    if (failing.status !== 200 && path.startsWith(failing.path)) return toResponse(failing.status, 'broken', 'x');
    if (path.endsWith('on-host-maintenance')) return toResponse(200, 'TERMINATE', 'p');
    if (holds) await hold(path, url.searchParams, signal);
    const { text, etag = '' } = values.get(path) ?? {};
    return text === undefined
      ? toResponse(503, '{"error":"no notifications have been received yet, try again later"}', '')
      : toResponse(200, text, etag);
  }

  async function hold(path: string, query: URLSearchParams, signal: AbortSignal): Promise<void> {
    const endAtMs = clock.monotonicMs() + Number(query.get('timeout_sec') ?? '0') * 1_000;
    while (query.get('last_etag') === values.get(path)?.etag && clock.monotonicMs() < endAtMs) {
      const waiting = AbortSignal.any([signal, wake.signal]);
      await clock.sleep(endAtMs - clock.monotonicMs(), waiting).catch(() => undefined);
      signal.throwIfAborted();
    }
  }

  const context = (): Context => ({ ...unusedContext, clock, http: { send: respond } });
  return {
    clock,
    requests,
    failing,
    set: (path, text) => {
      changes += 1;
      values.set(path, { text, etag: `e${String(changes)}` });
      wake.abort(new Error('changed'));
      wake = new AbortController();
    },
    poll: (cursor) => pollNotices(cursor, { env: {} }, context()),
  };
}

function toResponse(status: number, text: string, etag: string): HttpResponse {
  const headers = { 'metadata-flavor': 'Google', ...(etag !== '' && { etag }) };
  return { status, headers, body: Buffer.from(text) };
}

function textOf({ id, effect, state, atMs, withinMs }: Notice): string {
  const time = atMs === undefined ? `within ${String((withinMs ?? 0) / 1_000)} s` : new Date(atMs).toISOString();
  return `${id} ${effect} ${state} ${time}`;
}
