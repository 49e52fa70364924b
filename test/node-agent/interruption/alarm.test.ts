import { getEventListeners } from 'node:events';
import t from 'tap';
import { createAlarm } from '../../../node-agent/interruption/alarm.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';

await t.test('a wait ends when its time is over, by a ring, or by the signal', async (t) => {
  const clock = createFakeClock(0);
  const alarm = createAlarm(clock);
  const ending = new AbortController();
  const isOver = async (wait: Promise<void>): Promise<boolean> => {
    let over = false;
    const ended = wait.then(() => (over = true));
    await Promise.race([ended, clock.advance(1)]);
    return over;
  };
  const timed = alarm.wait(1_000, ending.signal);
  t.notOk(await isOver(timed));
  await clock.advance(1_000);
  t.ok(await isOver(timed), 'time');
  const rung = alarm.wait(Infinity, ending.signal);
  t.notOk(await isOver(rung));
  alarm.ring();
  t.ok(await isOver(rung), 'ring');
  alarm.ring();
  t.ok(await isOver(alarm.wait(Infinity, ending.signal)), 'a ring before the wait');
  const aborted = alarm.wait(Infinity, ending.signal);
  t.notOk(await isOver(aborted), 'and only once');
  ending.abort(new Error('the end'));
  t.ok(await isOver(aborted), 'signal');
  t.ok(await isOver(alarm.wait(Infinity, ending.signal)), 'a signal that was aborted before');
});

await t.test('a wait leaves nothing on a signal that lives longer', async (t) => {
  const clock = createFakeClock(0);
  const alarm = createAlarm(clock);
  const { signal } = new AbortController();
  for (let turn = 0; turn < 3; turn += 1) {
    const waiting = alarm.wait(1_000, signal);
    alarm.ring();
    await waiting;
    t.equal(getEventListeners(signal, 'abort').length, 0);
  }
});
