import t from 'tap';
import { connectRace } from '../../../lib/http/connect-race.ts';
import type { ConnectionAttempt } from '../../../lib/http/connect-race.ts';
import type { IpAddress } from '../../../lib/http/resolve.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';

interface FakeAttempt extends ConnectionAttempt {
  readonly address: string;
}

/** What happens to an attempt, and when: an address without an entry never answers. */
interface Network {
  readonly connectsAfterMs?: Readonly<Record<string, number>>;
  readonly failsAfterMs?: Readonly<Record<string, number>>;
}

interface Race {
  readonly clock: FakeClock;
  readonly opened: string[];
  readonly destroyed: string[];
  readonly abort: AbortController;
  /** When it ended, and with what. */
  readonly result: Promise<readonly [atMs: number, outcome: string]>;
}

function race(addresses: readonly IpAddress[], { connectsAfterMs = {}, failsAfterMs = {} }: Network): Race {
  const clock = createFakeClock(0);
  const opened: string[] = [];
  const destroyed: string[] = [];
  const abort = new AbortController();
  const never = new AbortController().signal;
  const open = ({ address }: IpAddress): FakeAttempt => {
    opened.push(address);
    const connectMs = connectsAfterMs[address];
    const failMs = failsAfterMs[address];
    let connected = new Promise<void>(() => {});
    if (connectMs !== undefined) connected = clock.sleep(connectMs, never);
    if (failMs !== undefined) connected = clock.sleep(failMs, never).then(() => Promise.reject(new Error(address)));
    return { address, connected, destroy: () => void destroyed.push(address) };
  };
  const result = connectRace(addresses, open, { clock, signal: abort.signal }).then(
    ({ address }) => [clock.monotonicMs(), address] as const,
    (error: unknown) => [clock.monotonicMs(), `failed: ${(error as Error).message}`] as const,
  );
  return { clock, opened, destroyed, abort, result };
}

function addressesOf(family: 4 | 6, count: number): readonly IpAddress[] {
  const prefix = family === 4 ? '10.0.0.' : 'fd00::';
  return Array.from({ length: count }, (_, index) => ({ address: `${prefix}${index + 1}`, family }));
}

function allAfter(addresses: readonly IpAddress[], ms: number): Record<string, number> {
  return Object.fromEntries(addresses.map(({ address }) => [address, ms]));
}

for (const count of [1, 8, 16]) {
  for (const tripMs of [130, 300, 600]) {
    await t.test(`${count} addresses that are ${tripMs} ms away cost ${tripMs} ms`, async (t) => {
      const addresses = addressesOf(4, count);
      const { clock, result } = race(addresses, { connectsAfterMs: allAfter(addresses, tripMs) });
      await clock.advance(20_000);
      t.strictSame(await result, [tripMs, '10.0.0.1']);
    });
  }
}

for (const [broken, good] of [
  [6, 4],
  [4, 6],
] as const) {
  const tripMs = 20;
  const addresses = [...addressesOf(broken, 8), ...addressesOf(good, 8)];
  const connectsAfterMs = allAfter(addressesOf(good, 8), tripMs);
  await t.test(`IPv${broken} that never answers costs at most 300 ms where IPv${good} works`, async (t) => {
    const { clock, result } = race(addresses, { connectsAfterMs });
    await clock.advance(20_000);
    const [atMs, winner] = await result;
    t.equal(winner, addressesOf(good, 1)[0]?.address);
    t.ok(atMs - tripMs <= 300, `${atMs - tripMs} ms`);
  });
  await t.test(`IPv${broken} without a route costs nothing where IPv${good} works`, async (t) => {
    const { clock, result } = race(addresses, { connectsAfterMs, failsAfterMs: allAfter(addressesOf(broken, 8), 0) });
    await clock.advance(20_000);
    t.strictSame(await result, [tripMs, addressesOf(good, 1)[0]?.address]);
  });
}

await t.test('where all addresses but the last never answer, each of them costs 250 ms', async (t) => {
  const { clock, opened, destroyed, result } = race(addressesOf(4, 5), { connectsAfterMs: { '10.0.0.5': 10 } });
  await clock.advance(20_000);
  t.strictSame(await result, [1_010, '10.0.0.5']);
  t.equal(opened.length, 5);
  t.strictSame(destroyed, opened.slice(0, 4), 'the others are closed');
});

await t.test('a refused connection leads to the next address at once', async (t) => {
  const { clock, result } = race(addressesOf(4, 3), {
    failsAfterMs: { '10.0.0.1': 5, '10.0.0.2': 5 },
    connectsAfterMs: { '10.0.0.3': 5 },
  });
  await clock.advance(20_000);
  t.strictSame(await result, [15, '10.0.0.3']);
});

await t.test('a slow first address may still win after others were tried', async (t) => {
  const { clock, destroyed, result } = race(addressesOf(4, 3), { connectsAfterMs: { '10.0.0.1': 700 } });
  await clock.advance(20_000);
  t.strictSame(await result, [700, '10.0.0.1']);
  t.strictSame(destroyed, ['10.0.0.2', '10.0.0.3']);
});

await t.test('when all have failed the first failure is given', async (t) => {
  const { clock, opened, result } = race(addressesOf(4, 3), { failsAfterMs: allAfter(addressesOf(4, 3), 400) });
  await clock.advance(20_000);
  const [, outcome] = await result;
  t.equal(outcome, 'failed: 10.0.0.1');
  t.equal(opened.length, 3);
});

await t.test('nothing more is opened once it is given up, and what is under way is closed', async (t) => {
  const { clock, opened, destroyed, abort, result } = race(addressesOf(4, 16), {});
  await clock.advance(300);
  abort.abort(new Error('enough'));
  t.strictSame(await result, [300, 'failed: enough']);
  await clock.advance(20_000);
  t.equal(opened.length, 2);
  t.strictSame(destroyed, opened);
});

await t.test('a failure after the end opens nothing', async (t) => {
  const { clock, opened, result } = race(addressesOf(4, 4), {
    connectsAfterMs: { '10.0.0.2': 10 },
    failsAfterMs: { '10.0.0.1': 300 },
  });
  await clock.advance(20_000);
  t.strictSame(await result, [260, '10.0.0.2']);
  t.equal(opened.length, 2);
});
