import t from 'tap';
import { systemClock } from '../../lib/clock.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';

const neverAborted = new AbortController().signal;

await t.test('a sleep of the real clock takes at least its time', async (t) => {
  const startedAtMs = systemClock.monotonicMs();
  await systemClock.sleep(20, neverAborted);
  t.ok(systemClock.monotonicMs() - startedAtMs >= 19);
});

await t.test('monotonic time never goes back, and wall time is the date', (t) => {
  const firstMs = systemClock.monotonicMs();
  t.ok(systemClock.monotonicMs() >= firstMs);
  t.ok(Math.abs(systemClock.wallMs() - new Date().getTime()) < 5_000);
  t.end();
});

for (const [name, clock] of Object.entries({ real: systemClock, fake: createFakeClock(0) })) {
  await t.test(`a sleep of the ${name} clock ends with the reason of its signal when that is aborted`, async (t) => {
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(new Error('enough'));
    await t.rejects(sleeping, { message: 'enough' });
    await t.rejects(clock.sleep(60_000, controller.signal), { message: 'enough' }, 'nor is one begun after it');
  });
}

await t.test('the fake clock wakes sleepers in order, each at its own time', async (t) => {
  const clock = createFakeClock(1_000);
  const woken: [string, number][] = [];
  const sleeps = [
    clock.sleep(30, neverAborted).then(() => woken.push(['late', clock.monotonicMs()])),
    clock
      .sleep(10, neverAborted)
      .then(() => clock.sleep(5, neverAborted))
      .then(() => woken.push(['twice', clock.monotonicMs()])),
  ];
  await clock.advance(29);
  t.strictSame(woken, [['twice', 15]]);
  await clock.advance(1);
  await Promise.all(sleeps);
  t.strictSame(woken.at(-1), ['late', 30]);
  t.equal(clock.wallMs(), 1_030);
  t.strictSame(clock.sleepsMs, [30, 10, 5]);
});
