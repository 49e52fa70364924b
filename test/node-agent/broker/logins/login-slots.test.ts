import t from 'tap';
import { Declined } from '../../../../node-agent/broker/declined.ts';
import { createLoginSlots } from '../../../../node-agent/broker/logins/login-slots.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';

interface Job {
  readonly result: Promise<string>;
  finish(): void;
}

interface SlotsHarness {
  readonly started: string[];
  readonly clock: ReturnType<typeof createFakeClock>;
  begin(name: string): Job;
}

function createHarness(): SlotsHarness {
  const clock = createFakeClock(0);
  const started: string[] = [];
  const slots = createLoginSlots({ atOnce: 2, longestWaitMs: 2_000, clock });
  const begin = (name: string): Job => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const result = slots.run(async () => {
      started.push(name);
      return promise;
    });
    result.catch(() => undefined);
    return { result, finish: () => resolve(name) };
  };
  return { started, clock, begin };
}

await t.test('the others wait in the order in which they came', async (t) => {
  const { started, clock, begin } = createHarness();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(begin) as [Job, Job, Job, Job];
  await clock.advance(1_999);
  t.strictSame(started, ['a', 'b']);
  b.finish();
  t.equal(await b.result, 'b');
  await clock.advance(0);
  t.strictSame(started, ['a', 'b', 'c']);
  await clock.advance(1);
  await t.rejects(d.result, new Declined('2 other logins are under way'));
  for (const job of [a, c]) job.finish();
  t.strictSame(await Promise.all([a.result, c.result]), ['a', 'c']);
});

await t.test('a slot that becomes free when the wait ends is not lost', async (t) => {
  const { started, clock, begin } = createHarness();
  const [a, b] = ['a', 'b'].map(begin) as [Job, Job];
  for (let round = 0; round < 5; round++) {
    const late = begin(`late ${round}`);
    const ends = clock.advance(2_000);
    a.finish();
    await ends;
    late.finish();
    await late.result.catch(() => undefined);
  }
  b.finish();
  await Promise.all([a.result, b.result]);
  started.length = 0;
  for (const name of ['x', 'y', 'z']) begin(name);
  await clock.advance(0);
  t.strictSame(started, ['x', 'y'], 'both places are there');
});
