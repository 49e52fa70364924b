import t from 'tap';
import { acknowledge, pollNotices } from '../../../../clouds/azure/notices/poll.ts';
import { parseScheduledEvents } from '../../../../clouds/azure/notices/parse.ts';
import type { Notice, NoticePoll } from '../../../../clouds/cloud.ts';
import type { Context } from '../../../../lib/context.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { unusedContext } from '../../contexts.ts';
import { runNoticeConformance } from '../../notice-conformance.ts';

const own = 'pool_3';
const scheduled = {
  EventId: 'A123BC45-1234-5678-AB90-ABCDEF123456',
  EventType: 'Reboot',
  ResourceType: 'VirtualMachine',
  Resources: [own],
  EventStatus: 'Scheduled',
  NotBefore: 'Wed, 18 Nov 2026 12:15:00 GMT',
  Description: 'Host server is undergoing maintenance.',
  EventSource: 'Platform',
  DurationInSeconds: -1,
};

const documentWith = (...events: readonly object[]): string =>
  JSON.stringify({ DocumentIncarnation: 2, Events: events });

for (const [what, changes, text] of [
  ['a reboot', {}, 'restarts announced 2026-11-18T12:15:00.000Z alone'],
  ['a freeze', { EventType: 'Freeze', DurationInSeconds: 9 }, 'pauses announced 2026-11-18T12:15:00.000Z alone'],
  ['a redeployment', { EventType: 'Redeploy' }, 'restarts announced 2026-11-18T12:15:00.000Z alone'],
  ['a preemption', { EventType: 'Preempt' }, 'ends announced 2026-11-18T12:15:00.000Z alone'],
  ['a termination', { EventType: 'Terminate' }, 'ends announced 2026-11-18T12:15:00.000Z alone'],
  ['an event of a new kind', { EventType: 'Relocate' }, 'pauses announced 2026-11-18T12:15:00.000Z alone'],
  ['an event that has started', { EventStatus: 'Started', NotBefore: '' }, 'restarts started never alone'],
  ['an event of several machines', { Resources: ['pool_2', 'POOL_3'] }, 'restarts announced 2026-11-18T12:15:00.000Z'],
  ['an event of another machine', { Resources: ['pool_30'] }, ''],
  ['an event of no machine', { Resources: [] }, ''],
] as const) {
  await t.test(what, (t) => {
    const { notices: parsed } = parseScheduledEvents(documentWith({ ...scheduled, ...changes }), own);
    t.equal(parsed.map((notice) => textOf(notice)).join(', '), text);
    for (const { id } of parsed) t.equal(id, scheduled.EventId);
    t.end();
  });
}

await t.test("the vendor's own words", (t) => {
  const [notice] = parseScheduledEvents(documentWith({ ...scheduled, DurationInSeconds: 9 }), own).notices;
  t.equal(
    notice?.vendorText,
    'Reboot by Platform not before Wed, 18 Nov 2026 12:15:00 GMT for 9 s: Host server is undergoing maintenance.',
  );
  t.end();
});

for (const text of ['', '<html>', '[]', '{}', '{"Events":{}}']) {
  await t.test(`${JSON.stringify(text)} is no answer`, (t) => {
    t.throws(() => parseScheduledEvents(text, own), { name: 'Failure', kind: 'invalid-response' });
    t.end();
  });
}

await t.test('an event that cannot be read hides no other, and does not withdraw any', (t) => {
  const { notices, failure } = parseScheduledEvents(documentWith({ EventId: 'x' }, scheduled, [5]), own);
  t.strictSame(
    notices.map(({ id }) => id),
    [scheduled.EventId],
  );
  t.match(failure, { kind: 'invalid-response' });
  t.end();
});

await t.test('a time that is no date, or has no zone, counts as none', (t) => {
  for (const NotBefore of ['soon 12', '2026-11-18T12:15:00', 5, null]) {
    const { notices } = parseScheduledEvents(documentWith({ ...scheduled, NotBefore }), own);
    t.strictSame([notices.length, notices[0]?.atMs], [1, undefined], String(NotBefore));
  }
  t.end();
});

await t.test('a document that is older than the last one withdraws nothing, unless only such ones come', async (t) => {
  const service = startService();
  const withIncarnation = (incarnation: unknown, ...events: readonly object[]): void => {
    service.state.events = JSON.stringify({ DocumentIncarnation: incarnation, Events: events });
  };
  withIncarnation(7, scheduled);
  let poll = await service.poll(undefined);
  withIncarnation(6);
  for (let at = 0; at < 30; at++) {
    poll = await service.poll(poll.cursor);
    t.match(poll, { notices: [], unread: [{ source: 'scheduled-events' }] });
    await service.clock.advance(1_000);
  }
  withIncarnation(7, scheduled);
  t.match(await service.poll(poll.cursor), { notices: [{ id: scheduled.EventId }], unread: [] }, 'it was stale');
  withIncarnation(6);
  poll = await service.poll(poll.cursor);
  t.match(poll, { notices: [], unread: [] }, 'the machine has moved to a host that counts anew');
  withIncarnation(1, { ...scheduled, EventId: 'next' });
  poll = await service.poll(poll.cursor);
  t.match(poll, { notices: [{ id: 'next' }], unread: [{ source: 'scheduled-events' }] }, 'a new event counts at once');
  withIncarnation('x');
  t.match(await service.poll(poll.cursor), { notices: [], unread: [] }, 'without a number the document counts');
});

await runNoticeConformance(t, () => {
  const service = startService();
  return {
    ...service,
    announce: () => void (service.state.events = documentWith(scheduled)),
    withdraw: () => void (service.state.events = documentWith()),
    fail: () => void (service.state.status = 500),
    recover: () => void (service.state.status = 200),
  };
});

await t.test('the name of the machine is read once', async (t) => {
  const service = startService();
  const { cursor } = await service.poll(undefined);
  await service.poll(cursor);
  t.strictSame(service.requests, [
    'GET /metadata/instance',
    'GET /metadata/scheduledevents',
    'GET /metadata/scheduledevents',
  ]);
});

await t.test('an event is acknowledged by its id', async (t) => {
  const service = startService();
  const [notice] = parseScheduledEvents(documentWith(scheduled), own).notices;
  if (notice === undefined) throw new Error('there is a notice');
  await acknowledge(notice, { env: {} }, service.context);
  t.strictSame(service.requests, [
    `POST /metadata/scheduledevents {"StartRequests":[{"EventId":"${scheduled.EventId}"}]}`,
  ]);
  service.state.status = 400;
  await t.rejects(acknowledge(notice, { env: {} }, service.context), { name: 'Failure' });
});

interface FakeService {
  readonly clock: ReturnType<typeof createFakeClock>;
  readonly context: Context;
  readonly requests: string[];
  readonly state: { events: string; status: number };
  poll(cursor: unknown): Promise<NoticePoll>;
}

function startService(): FakeService {
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const requests: string[] = [];
  const state = { events: documentWith(), status: 200 };
  const send: Context['http']['send'] = ({ method, url, body }) => {
    requests.push(`${method} ${url.pathname}${typeof body === 'string' ? ` ${body}` : ''}`);
    const text = url.pathname === '/metadata/instance' ? JSON.stringify({ compute: { name: own } }) : state.events;
    return Promise.resolve({ status: state.status, headers: {}, body: Buffer.from(text) });
  };
  const context: Context = { ...unusedContext, clock, http: { send } };
  return { clock, context, requests, state, poll: (cursor) => pollNotices(cursor, { env: {} }, context) };
}

function textOf({ effect, state, atMs, onlyThisInstance }: Notice): string {
  const at = atMs === undefined ? 'never' : new Date(atMs).toISOString();
  return [effect, state, at, ...(onlyThisInstance ? ['alone'] : [])].join(' ');
}
