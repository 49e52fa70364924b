import t from 'tap';
import { repeat } from '../../../node-agent/broker/repeat.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';

await t.test('it runs repeatedly, with a pause after each run, until its signal aborts', async (t) => {
  const clock = createFakeClock(0);
  const ending = new AbortController();
  let runs = 0;
  const run = async (): Promise<void> => void (runs += 1);
  const loop = repeat({ name: 'a', everyMs: 1_000, clock, run }, ending.signal);
  await clock.advance(3_500);
  t.equal(runs, 3);
  t.equal(loop.quietMs(), 500);
  ending.abort(new Error('the end'));
  await loop.ended;
  await clock.advance(10_000);
  t.equal(runs, 3);
});

await t.test('a run that never ends is visible, and does not delay the end', async (t) => {
  const clock = createFakeClock(0);
  const ending = new AbortController();
  const loop = repeat({ name: 'a', everyMs: 1_000, clock, run: () => new Promise(() => {}) }, ending.signal);
  await clock.advance(11_000);
  t.equal(loop.quietMs(), 10_000);
  ending.abort(new Error('the end'));
  await loop.ended;
});
