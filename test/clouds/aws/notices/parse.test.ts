import t from 'tap';
import { noticeSources } from '../../../../clouds/aws/notices/parse.ts';
import type { ParsedNotices } from '../../../../clouds/aws/notices/parse.ts';
import type { Notice } from '../../../../clouds/cloud.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');

interface Row {
  readonly source: string;
  readonly text: string | undefined;
  readonly notices: readonly string[];
}

const scheduled = (changes: object): string =>
  JSON.stringify([
    {
      NotBefore: '21 Nov 2026 09:00:43 GMT',
      Code: 'system-reboot',
      Description: 'scheduled reboot',
      EventId: 'instance-event-0d59937288b749b32',
      NotAfter: '21 Nov 2026 09:17:23 GMT',
      State: 'active',
      ...changes,
    },
  ]);

const rows: Readonly<Record<string, Row>> = {
  'no spot action': { source: 'spot', text: undefined, notices: [] },
  'a termination': {
    source: 'spot',
    text: '{"action": "terminate", "time": "2026-11-18T12:02:00Z"}',
    notices: ['spot/terminate/2026-11-18T12:02:00Z ends announced 2026-11-18T12:02:00.000Z'],
  },
  'a stop': {
    source: 'spot',
    text: '{"action": "stop", "time": "2026-11-18T12:02:00Z"}',
    notices: ['spot/stop/2026-11-18T12:02:00Z ends announced 2026-11-18T12:02:00.000Z'],
  },
  'a hibernation has begun': {
    source: 'spot',
    text: '{"action": "hibernate", "time": "2026-11-18T12:00:00Z"}',
    notices: ['spot/hibernate/2026-11-18T12:00:00Z ends started 2026-11-18T12:00:00.000Z'],
  },
  'an action without a time': {
    source: 'spot',
    text: '{"action": "terminate"}',
    notices: ['spot/terminate/ ends announced never'],
  },
  'a time in no format': {
    source: 'spot',
    text: '{"action": "terminate", "time": "soon"}',
    notices: ['spot/terminate/soon ends announced never'],
  },
  'no rebalance recommendation': { source: 'rebalance', text: undefined, notices: [] },
  'a rebalance recommendation': {
    source: 'rebalance',
    text: '{"noticeTime": "2026-11-18T11:58:00Z"}',
    notices: ['rebalance/2026-11-18T11:58:00Z may-end announced never'],
  },
  'no scheduled events, as a list and as 404': { source: 'scheduled-events', text: '[]', notices: [] },
  'no list of scheduled events': { source: 'scheduled-events', text: undefined, notices: [] },
  'a system reboot': {
    source: 'scheduled-events',
    text: scheduled({}),
    notices: ['instance-event-0d59937288b749b32 restarts announced 2026-11-21T09:00:43.000Z'],
  },
  'an instance reboot': {
    source: 'scheduled-events',
    text: scheduled({ Code: 'instance-reboot' }),
    notices: ['instance-event-0d59937288b749b32 restarts announced 2026-11-21T09:00:43.000Z'],
  },
  'a stop that is scheduled': {
    source: 'scheduled-events',
    text: scheduled({ Code: 'instance-stop' }),
    notices: ['instance-event-0d59937288b749b32 ends announced 2026-11-21T09:00:43.000Z'],
  },
  'a retirement on a day with one digit': {
    source: 'scheduled-events',
    text: scheduled({ Code: 'instance-retirement', NotBefore: '1 Dec 2026 09:00:43 GMT' }),
    notices: ['instance-event-0d59937288b749b32 ends announced 2026-12-01T09:00:43.000Z'],
  },
  maintenance: {
    source: 'scheduled-events',
    text: scheduled({ Code: 'system-maintenance' }),
    notices: ['instance-event-0d59937288b749b32 pauses announced 2026-11-21T09:00:43.000Z'],
  },
  'an event whose time has come': {
    source: 'scheduled-events',
    text: scheduled({ NotBefore: '18 Nov 2026 11:59:00 GMT' }),
    notices: ['instance-event-0d59937288b749b32 restarts started 2026-11-18T11:59:00.000Z'],
  },
  'an event of a kind that is new to us': {
    source: 'scheduled-events',
    text: scheduled({ Code: 'instance-upgrade' }),
    notices: ['instance-event-0d59937288b749b32 pauses announced 2026-11-21T09:00:43.000Z'],
  },
  'an event without a time': {
    source: 'scheduled-events',
    text: scheduled({ NotBefore: undefined }),
    notices: ['instance-event-0d59937288b749b32 restarts announced never'],
  },
  'a completed event': {
    source: 'scheduled-events',
    text: scheduled({ State: 'completed', Description: '[Completed] scheduled reboot' }),
    notices: [],
  },
  'a canceled event': {
    source: 'scheduled-events',
    text: scheduled({ State: 'canceled', Description: '[Canceled] scheduled reboot' }),
    notices: [],
  },
  'an instance outside of an Auto Scaling group': { source: 'auto-scaling', text: undefined, notices: [] },
  'in service': { source: 'auto-scaling', text: 'InService', notices: [] },
  'in standby': { source: 'auto-scaling', text: 'Standby', notices: [] },
  'detached from its group': { source: 'auto-scaling', text: 'Detached', notices: [] },
  'running in a warm pool': { source: 'auto-scaling', text: 'Warmed:Running', notices: [] },
  'terminated by its group': {
    source: 'auto-scaling',
    text: 'Terminated',
    notices: ['auto-scaling/Terminated ends started never'],
  },
  'back to the warm pool': {
    source: 'auto-scaling',
    text: 'Warmed:Stopped',
    notices: ['auto-scaling/Warmed:Stopped ends started never'],
  },
};

for (const [what, { source, text, notices }] of Object.entries(rows)) {
  await t.test(what, (t) => {
    const parsed = parse(source, text);
    t.strictSame(parsed.map(textOf), notices);
    for (const notice of parsed) t.match(notice, { source, onlyThisInstance: true, vendorText: /./ });
    t.end();
  });
}

await t.test("the vendor's own words", (t) => {
  const [first] = parse('scheduled-events', scheduled({}));
  t.equal(first?.vendorText, 'system-reboot not before 21 Nov 2026 09:00:43 GMT: scheduled reboot');
  t.end();
});

for (const source of ['spot', 'rebalance', 'scheduled-events']) {
  for (const text of ['', '<html>', '5', '"x"', 'null', '[5]', '{"events":[]}', '[{"EventId":5}]']) {
    await t.test(`${source}: ${JSON.stringify(text)} is no answer`, (t) => {
      t.throws(() => parse(source, text), { name: 'Failure', kind: 'invalid-response' });
      t.end();
    });
  }
}

await t.test('an event that cannot be read hides no other, and does not withdraw any', (t) => {
  const [event] = JSON.parse(scheduled({})) as unknown[];
  const { notices, failure } = parseWhole('scheduled-events', JSON.stringify([{ EventId: 5 }, event, null]));
  t.equal(notices.length, 1);
  t.match(failure, { kind: 'invalid-response' });
  t.end();
});

await t.test('a time without a zone counts as none: it could be local', (t) => {
  for (const time of ['2026-11-18T12:02:00', '2026-11-18', 'x 12']) {
    t.equal(parse('spot', JSON.stringify({ action: 'stop', time }))[0]?.atMs, undefined, time);
  }
  t.end();
});

for (const text of ['', '<html>', '{"state":"InService"}', 'terminated']) {
  await t.test(`auto-scaling: ${JSON.stringify(text)} is no answer, so it withdraws nothing`, (t) => {
    t.throws(() => parse('auto-scaling', text), { name: 'Failure', kind: 'invalid-response' });
    t.end();
  });
}

function parse(source: string, text: string | undefined): readonly Notice[] {
  const { notices, failure } = parseWhole(source, text);
  if (failure !== undefined) throw failure;
  return notices;
}

function parseWhole(source: string, text: string | undefined): ParsedNotices {
  return noticeSources.find(({ name }) => name === source)?.parse(text, wallMs) ?? { notices: [] };
}

function textOf({ id, effect, state, atMs }: Notice): string {
  return `${id} ${effect} ${state} ${atMs === undefined ? 'never' : new Date(atMs).toISOString()}`;
}
