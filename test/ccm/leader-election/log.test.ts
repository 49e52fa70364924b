import t from 'tap';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { refusingStore } from './faulty-store.ts';
import { createLeaseServer } from './lease-server.ts';
import type { LeaseServer } from './lease-server.ts';
import { startTestCandidate, workUntilAborted, defaultTimes } from './harness.ts';
import type { TestCandidate } from './harness.ts';

const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));

const reachable = { isOn: false };

function start(identity: string, server: LeaseServer, outage = reachable): TestCandidate {
  const store = refusingStore(server, outage);
  return startTestCandidate({ identity, store, clock, work: workUntilAborted, times: defaultTimes, random: () => 0.5 });
}

await t.test('the leader, the holder that a follower follows, and the release of the Lease', async (t) => {
  const server = createLeaseServer({ checksVersions: true });
  const first = start('a', server);
  await clock.advance(1_000);
  const second = start('b', server);
  const third = start('c', server);
  await clock.advance(60_000);
  first.stop();
  await clock.advance(60_000);
  const [leader, follower] = second.mayWrite() ? [second, third] : [third, second];
  const name = leader === second ? 'b' : 'c';
  t.strictSame(first.logLines, [
    'Leading identity="a" reason="this replica holds the Lease"',
    'The Lease is given back identity="a"',
  ]);
  t.strictSame(leader.logLines, [
    'Following: this replica writes nothing holder="a"',
    `Leading identity="${name}" reason="this replica holds the Lease"`,
  ]);
  t.strictSame(
    follower.logLines,
    ['a', name].map((holder) => `Following: this replica writes nothing holder="${holder}"`),
    'once for each holder',
  );
  for (const each of [second, third]) each.stop();
  await clock.advance(10_000);
});

await t.test('a Lease that is lost, and an API server that is away: once each, and their end', async (t) => {
  const server = createLeaseServer({ checksVersions: true });
  const away = { isOn: false };
  const actor = start('a', server, away);
  await clock.advance(20_000);
  away.isOn = true;
  await clock.advance(60_000);
  away.isOn = false;
  await clock.advance(60_000);
  const said = actor.logLines.filter((line) => !line.startsWith('The Lease cannot be read or written yet'));
  t.match(said, [
    /^Leading /,
    /^The Lease cannot be read or written err=/,
    'The Lease is lost: nothing is written any more identity="a"',
    'The Lease can be read and written again',
    /^Leading /,
  ]);
  actor.stop();
  await clock.advance(10_000);
});
