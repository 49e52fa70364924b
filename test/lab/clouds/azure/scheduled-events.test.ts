import t from 'tap';
import { runOnLoopback } from '../loopback.ts';
import { azure } from './cloud.ts';
import { setScheduledEvents } from './scheduled-events.ts';
import type { ScheduledEvent } from './state.ts';

const lab = await runOnLoopback(azure, { plain: Object.keys(azure.services) });
t.teardown(lab.stop);
t.beforeEach(() => lab.reset());

const headers = { metadata: 'true' };
const path = '/metadata/scheduledevents?api-version=2020-07-01';
const event: ScheduledEvent = {
  EventId: 'event-1',
  EventType: 'Reboot',
  ResourceType: 'VirtualMachine',
  Resources: ['pool_0', 'pool_1'],
  EventStatus: 'Scheduled',
  NotBefore: 'Mon, 19 Sep 2016 18:29:47 GMT',
  Description: '',
  EventSource: 'Platform',
  DurationInSeconds: -1,
};

await t.test('without an event the document is empty', async (t) => {
  t.strictSame(await read(), { DocumentIncarnation: 1, Events: [] });
});

await t.test('the events of all machines of the set, with another number each time', async (t) => {
  await setScheduledEvents(lab, [event]);
  t.strictSame(await read(), { DocumentIncarnation: 2, Events: [event] });
  await setScheduledEvents(lab, []);
  t.strictSame(await read(), { DocumentIncarnation: 3, Events: [] });
});

await t.test('an event starts when a machine lets it, and no other one', async (t) => {
  const other = { ...event, EventId: 'event-2' };
  await setScheduledEvents(lab, [event, other]);
  t.equal((await start('event-1')).status, 200);
  const started = { ...event, EventStatus: 'Started', NotBefore: '' };
  t.strictSame(await read(), { DocumentIncarnation: 3, Events: [started, other] });
  t.equal((await start('event-1')).status, 200, 'also a second time');
});

await t.test('an unknown event, and what is no request, are refused', async (t) => {
  t.equal((await start('event-1')).status, 400);
  t.equal((await ask({ method: 'POST', body: 'x' })).status, 400);
  t.strictSame(await read(), { DocumentIncarnation: 1, Events: [] });
});

await t.test('only with its header and a version', async (t) => {
  t.equal((await ask({ headers: {} })).status, 400);
  t.equal((await fetch(`${lab.url('imds')}/metadata/scheduledevents`, { headers })).status, 400);
});

function ask(init: RequestInit): Promise<Response> {
  return fetch(`${lab.url('imds')}${path}`, { headers, ...init });
}

async function read(): Promise<unknown> {
  return (await ask({})).json();
}

function start(id: string): Promise<Response> {
  return ask({ method: 'POST', body: JSON.stringify({ StartRequests: [{ EventId: id }] }) });
}
