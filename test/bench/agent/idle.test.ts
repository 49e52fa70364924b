import t from 'tap';
import { requestsAnHour } from '../../../bench/agent/idle.ts';

type AuditEvent = Parameters<typeof requestsAnHour>[0][number];

function event(verb: string, requestURI: string, resource = 'nodes'): AuditEvent {
  const timestamp = '2026-11-19T12:00:00.000000Z';
  const times = { requestReceivedTimestamp: timestamp, stageTimestamp: timestamp };
  return { stage: 'ResponseComplete', verb, requestURI, user: { username: 'a' }, objectRef: { resource }, ...times };
}

const watch = event('watch', '/api/v1/nodes?watch=true&timeoutSeconds=900');

await t.test('a watch counts as often as it has to be opened again', (t) => {
  t.equal(requestsAnHour([watch], [], 0.5), 4);
  t.equal(requestsAnHour([watch, event('watch', '/api/v1/pods?timeoutSeconds=360', 'pods')], [], 0.5), 14);
  t.end();
});

await t.test('one watch that was opened twice is one, also if that was in the window', (t) => {
  t.equal(requestsAnHour([watch, watch], [watch], 0.5), 4);
  t.end();
});

await t.test('all else is counted in the window', (t) => {
  const patch = event('patch', '/api/v1/nodes/a');
  t.equal(requestsAnHour([patch, watch, patch], [patch], 0.5), 124);
  t.equal(requestsAnHour([], [], 2), 0);
  t.end();
});
