import t from 'tap';
import { openInstallLease } from '../../../../node-agent/install/restart/install-lease.ts';
import type { InstallLease } from '../../../../node-agent/install/restart/install-lease.ts';
import { keys } from '../../../../schemas/keys.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';
import { createLeaseApi } from './lease-api.ts';
import type { LeaseApi } from './lease-api.ts';

await t.test('one node at a time', async (t) => {
  const { api, clock, leaseOf, lines } = start();
  const [one, two] = [leaseOf('node-1'), leaseOf('node-2')];
  await one.acquire();
  t.match(api.lease?.spec, { holderIdentity: 'node-1', leaseDurationSeconds: 300, leaseTransitions: 1 });
  await one.acquire();
  t.equal(api.lease?.spec.leaseTransitions, 1, 'it has it already');
  const waiting = pending(two.acquire());
  await clock.advance(200_000);
  t.notOk(waiting.isDone());
  t.strictSame(lines, ['waiting for node node-1, which restarts its kubelet']);
  await two.release();
  t.equal(api.lease?.spec.holderIdentity, 'node-1', 'only the holder releases it');
  await one.release();
  await clock.advance(60_000);
  await waiting.done;
  t.match(api.lease?.spec, { holderIdentity: 'node-2', leaseTransitions: 2 });
});

await t.test('of two that see it free at the same time, one gets it', async (t) => {
  const { api, clock, leaseOf } = start();
  api.change({}, { holderIdentity: '' });
  const all = ['node-1', 'node-2', 'node-3'].map((name) => pending(leaseOf(name).acquire()));
  await clock.advance(1_000);
  t.equal(all.filter(({ isDone }) => isDone()).length, 1);
});

await t.test('the first failure stops all others until an operator removes it', async (t) => {
  const { api, clock, leaseOf } = start();
  const one = leaseOf('node-1');
  await one.acquire();
  const waiting = leaseOf('node-2').acquire();
  waiting.catch(() => undefined);
  await one.fail('node node-1: it did not start');
  await clock.advance(60_000);
  await t.rejects(waiting, {
    message: 'no kubelet is restarted any more since a restart failed: node node-1: it did not start',
    remedy: /kubectl -n kube-system annotate lease polycloud-install polycloud\.dev\/install-failure-/,
  });
  t.equal(api.lease?.spec.holderIdentity, '');
  await t.rejects(one.acquire(), { message: /no kubelet is restarted any more/ });
  api.change({ [keys.installFailure]: null });
  await leaseOf('node-3').acquire();
});

await t.test('a failure is recorded even if the Lease is gone, or another node has it', async (t) => {
  const { api, leaseOf } = start();
  const one = leaseOf('node-1');
  await one.acquire();
  api.lease = undefined;
  await one.fail('first');
  t.match(api.lease, { metadata: { annotations: { [keys.installFailure]: 'first' } } });
  api.change({ [keys.installFailure]: null }, { holderIdentity: 'node-2' });
  await one.fail('second');
  t.match(api.lease, {
    metadata: { annotations: { [keys.installFailure]: 'second' } },
    spec: { holderIdentity: 'node-2' },
  });
  await one.fail('third');
  t.match(api.lease, { metadata: { annotations: { [keys.installFailure]: 'second' } } }, 'the first one stays');
});

await t.test('a holder that never reports the end is a failure, not a free Lease', async (t) => {
  const { api, clock, leaseOf } = start();
  await leaseOf('node-1').acquire();
  await clock.advance(3_600_000);
  const waiting = leaseOf('node-2').acquire();
  waiting.catch(() => undefined);
  // Its age by other clocks does not matter: this process has to see it unchanged.
  await clock.advance(290_000);
  t.equal(api.lease?.spec.holderIdentity, 'node-1');
  await clock.advance(120_000);
  await t.rejects(waiting, { message: /node node-1 began to restart its kubelet at \S+Z and never reported the end/ });
  t.equal(api.lease?.spec.holderIdentity, '');
});

function start(): {
  readonly api: LeaseApi;
  readonly clock: FakeClock;
  readonly lines: readonly string[];
  leaseOf(nodeName: string): InstallLease;
} {
  const api = createLeaseApi();
  const clock = createFakeClock(Date.parse('2026-11-19T12:00:00Z'));
  const lines: string[] = [];
  const { signal } = new AbortController();
  const report = (line: string): void => void lines.push(line);
  const shared = { client: api.client, clock, random: () => 0.5, signal, report };
  return { api, clock, lines, leaseOf: (nodeName) => openInstallLease({ ...shared, nodeName }) };
}

function pending(done: Promise<void>): { readonly done: Promise<void>; isDone(): boolean } {
  let isDone = false;
  const marked = done.then(() => {
    isDone = true;
  });
  return { done: marked, isDone: () => isDone };
}
