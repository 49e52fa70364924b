import t from 'tap';
import type { Test } from 'tap';
import type { LeaderWork } from '../../ccm/leader-election.ts';
import type { LeaseStore } from '../../ccm/leader-election/lease-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { Failure } from '../../lib/failure.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import type { FakeClock } from '../clocks/fake-clock.ts';
import { responseLosingStore, hangingStore, refusingStore, slowStore } from './leader-election/faulty-store.ts';
import { createLeaseServer } from './leader-election/lease-server.ts';
import type { LeaseServer } from './leader-election/lease-server.ts';
import { createProcessClock } from './leader-election/process-clock.ts';
import { startTestCandidate, workUntilAborted, defaultTimes } from './leader-election/harness.ts';
import type { TestCandidate } from './leader-election/harness.ts';

const wallMs = Date.parse('2026-11-18T12:00:00Z');

await t.test('alone: leads at once, renews every 2 s, gives the lease back on leaving', async (t) => {
  const { clock, server, start } = startHarness(t);
  const actor = start('a', {});
  await clock.advance(0);
  t.ok(actor.mayWrite());
  t.strictSame(actor.election.status(), { isLeading: true, holder: 'a', quietMs: 0 });
  await clock.advance(20_000);
  t.strictSame(server.requests.slice(0, 2), ['read', 'create']);
  t.strictSame(
    server.requests.slice(2),
    Array.from({ length: 10 }, () => 'update'),
  );
  t.equal(server.lease()?.spec.renewTime, '2026-11-18T12:00:20.000000Z');
  t.equal(server.lease()?.spec.acquireTime, '2026-11-18T12:00:00.000000Z');
  actor.stop();
  await clock.advance(0);
  t.strictSame(actor.outcome(), {});
  t.notOk(actor.mayWrite());
  t.match(server.lease()?.spec, { holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
});

await t.test('a clean exit hands over within 2 s', async (t) => {
  const { clock, start } = startHarness(t);
  const first = start('a', {});
  await clock.advance(1_000);
  const second = start('b', {});
  await clock.advance(60_000);
  t.ok(first.mayWrite());
  t.notOk(second.mayWrite());
  t.equal(second.election.status().holder, 'a');
  first.stop();
  await clock.advance(2_000);
  t.ok(second.mayWrite());
});

await t.test('after a kill: within the lease and 2 s, and not before the lease is over', async (t) => {
  const { clock, start } = startHarness(t);
  const death = { isOn: false };
  start('a', { store: (server) => refusingStore(server, death) });
  await clock.advance(1_000);
  const second = start('b', {});
  await clock.advance(60_000);
  death.isOn = true;
  // It renewed 1 s ago.
  await clock.advance(13_999);
  t.notOk(second.mayWrite());
  await clock.advance(3_001);
  t.ok(second.mayWrite());
});

await t.test('an API server that fails for less than the deadline ends nothing', async (t) => {
  const { clock, start } = startHarness(t);
  const away = { isOn: false };
  const actor = start('a', { store: (server) => refusingStore(server, away) });
  await clock.advance(20_000);
  away.isOn = true;
  await clock.advance(9_000);
  t.ok(actor.mayWrite());
  away.isOn = false;
  await clock.advance(20_000);
  t.ok(actor.mayWrite());
  t.equal(actor.terms(), 1);
});

for (const kind of ['fails', 'hangs'] as const) {
  await t.test(
    `an API server that ${kind} for longer ends the work at the deadline, then it leads again`,
    async (t) => {
      const { clock, start } = startHarness(t);
      const away = { isOn: false };
      const actor = start('a', {
        store: (server) => (kind === 'fails' ? refusingStore(server, away) : hangingStore(server, away)),
      });
      await clock.advance(20_000);
      away.isOn = true;
      await clock.advance(9_999);
      t.ok(actor.mayWrite());
      t.notOk(actor.leadership()?.signal.aborted);
      await clock.advance(1);
      t.notOk(actor.mayWrite());
      await clock.advance(2);
      t.equal(actor.leadership(), undefined);
      await clock.advance(30_000);
      away.isOn = false;
      await clock.advance(7_000);
      t.ok(actor.mayWrite());
      t.equal(actor.terms(), 2);
      t.equal(actor.outcome(), undefined);
    },
  );
}

await t.test('another holder in the lease: lost at once, and the lease of the other is not released', async (t) => {
  const { clock, server, start } = startHarness(t);
  const actor = start('a', {});
  await clock.advance(20_000);
  const lease = server.lease();
  if (lease === undefined) throw new Error('there is no lease');
  server.put({ ...lease, spec: { ...lease.spec, holderIdentity: 'c' } });
  await clock.advance(2_000);
  t.notOk(actor.mayWrite());
  t.equal(actor.leadership(), undefined);
  actor.stop();
  await clock.advance(0);
  t.equal(server.lease()?.spec.holderIdentity, 'c');
});

await t.test('a removed lease is created again by its holder, and no other candidate gets it', async (t) => {
  const { clock, server, start } = startHarness(t);
  const first = start('a', {});
  await clock.advance(500);
  const second = start('b', {});
  await clock.advance(20_000);
  server.remove();
  await clock.advance(30_000);
  t.ok(first.mayWrite());
  t.equal(first.terms(), 1);
  t.equal(second.terms(), 0);
});

await t.test('a renewal whose answer was lost is found again', async (t) => {
  const { clock, start } = startHarness(t);
  const losing = { isOn: false };
  const actor = start('a', { store: (server) => responseLosingStore(server, losing) });
  await clock.advance(20_000);
  losing.isOn = true;
  await clock.advance(8_000);
  losing.isOn = false;
  await clock.advance(20_000);
  t.ok(actor.mayWrite());
  t.equal(actor.terms(), 1);
});

await t.test('a renewal counts from when it was asked for, not from its answer', async (t) => {
  const { clock, start } = startHarness(t);
  const [delay, away] = [{ isOn: false }, { isOn: false }];
  const actor = start('a', { store: (server) => refusingStore(slowStore(server, delay, clock), away) });
  await clock.advance(20_000);
  // Asked for at 22 s, stored then, answered at 26 s; after that there is no answer.
  delay.isOn = true;
  await clock.advance(6_500);
  away.isOn = true;
  await clock.advance(5_499);
  t.ok(actor.mayWrite());
  await clock.advance(1);
  t.notOk(actor.mayWrite());
});

await t.test(
  'a process that was stopped for 30 s may not write when it wakes, before any timer has fired',
  async (t) => {
    const { clock, start } = startHarness(t);
    const process = createProcessClock(clock, 1, 0);
    const actor = start('a', { clock: process });
    await clock.advance(60_000);
    t.ok(actor.mayWrite());
    process.pause();
    await clock.advance(30_000);
    t.ok(actor.leadership() !== undefined && !actor.leadership()?.signal.aborted, 'nothing in it has run yet');
    t.notOk(actor.mayWrite());
    process.resume();
    await clock.advance(5_000);
    t.ok(actor.mayWrite());
    t.equal(actor.terms(), 2);
  },
);

await t.test('a machine that slept: the monotonic clock stood still, wall time did not', async (t) => {
  const { clock, start } = startHarness(t);
  const actor = start('a', {});
  await clock.advance(60_000);
  clock.setWall(clock.wallMs() + 30_000);
  t.notOk(actor.mayWrite());
  await clock.advance(2_000);
  t.ok(actor.mayWrite(), 'the next renewal says that the lease is still ours');
  t.equal(actor.terms(), 1);
});

await t.test('wall time set back changes nothing', async (t) => {
  const { clock, start } = startHarness(t);
  const away = { isOn: false };
  const actor = start('a', { store: (server) => refusingStore(server, away) });
  await clock.advance(60_000);
  clock.setWall(wallMs - 3_600_000);
  await clock.advance(10_000);
  t.ok(actor.mayWrite());
  away.isOn = true;
  await clock.advance(10_000);
  t.notOk(actor.mayWrite());
});

await t.test('work that does not end: the process has to, and the lease is kept from the others', async (t) => {
  const { clock, server, start } = startHarness(t);
  const actor = start('a', { work: () => new Promise(() => {}) });
  await clock.advance(20_000);
  actor.stop();
  await clock.advance(4_999);
  t.equal(actor.outcome(), undefined);
  await clock.advance(1);
  t.ok(actor.outcome()?.error instanceof Failure);
  t.match(actor.outcome()?.error, { message: /did not end in 5 s/ });
  t.equal(server.lease()?.spec.holderIdentity, 'a');
});

await t.test('work may finish what it has begun before it goes, and only then the lease is given back', async (t) => {
  const { clock, server, start } = startHarness(t);
  const actor = start('a', {
    work: async (leadership) => {
      await workUntilAborted(leadership);
      await clock.sleep(3_000, new AbortController().signal);
    },
  });
  await clock.advance(20_000);
  actor.stop();
  await clock.advance(2_999);
  t.ok(actor.mayWrite());
  t.equal(server.lease()?.spec.holderIdentity, 'a');
  await clock.advance(1);
  t.equal(server.lease()?.spec.holderIdentity, '');
  t.notOk(actor.mayWrite());
  t.strictSame(actor.outcome(), {});
});

await t.test('work that fails ends the election with its error, and the lease is free', async (t) => {
  const { clock, server, start } = startHarness(t);
  const broken = new Error('broken');
  const actor = start('a', { work: () => Promise.reject(broken) });
  await clock.advance(0);
  t.equal(actor.outcome()?.error, broken);
  t.equal(server.lease()?.spec.holderIdentity, '');
});

await t.test('leaving while the API server is away takes 2 s and no more', async (t) => {
  const { clock, start } = startHarness(t);
  const away = { isOn: false };
  const actor = start('a', { store: (server) => hangingStore(server, away) });
  await clock.advance(21_000);
  away.isOn = true;
  await clock.advance(2_000);
  actor.stop();
  await clock.advance(2_000);
  t.strictSame(actor.outcome(), {});
  t.match(actor.logLines.at(-1), /has to run out/);
});

interface CandidateOverrides {
  readonly store?: (server: LeaseServer) => LeaseStore;
  readonly clock?: Clock;
  readonly work?: LeaderWork;
}

interface ElectionHarness {
  readonly clock: FakeClock;
  readonly server: LeaseServer;
  start(identity: string, changes: CandidateOverrides): TestCandidate;
}

function startHarness(t: Test): ElectionHarness {
  const clock = createFakeClock(wallMs);
  const server = createLeaseServer({ checksVersions: true });
  return {
    clock,
    server,
    start: (identity, changes) => {
      const store = changes.store?.(server) ?? server;
      const parts = {
        clock,
        work: workUntilAborted,
        ...changes,
        identity,
        store,
        times: defaultTimes,
        random: () => 0.5,
      };
      const candidate = startTestCandidate(parts);
      t.teardown(() => candidate.stop());
      return candidate;
    },
  };
}
