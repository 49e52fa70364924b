import t from 'tap';
import { openReportQueue } from '../../../node-agent/interruption/report-queue.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { nowMs } from './notices.ts';

await t.test('reports are sent in order, and a failed one is tried again before the next', async (t) => {
  const { add, clock, sent, state } = start();
  state.failures = 2;
  for (const report of ['a', 'b']) add(report);
  await clock.advance(3_000);
  t.strictSame(sent, ['a', 'a', 'a', 'b']);
});

await t.test('a report that fails five times is lost, and the next ones are not', async (t) => {
  const { add, clock, sent, lost, state } = start();
  state.failures = 5;
  for (const report of ['a', 'b']) add(report);
  await clock.advance(60_000);
  t.strictSame([sent.length, sent.at(-1), lost], [6, 'b', ['a']]);
  add('c');
  await clock.advance(1_000);
  t.equal(sent.at(-1), 'c');
});

await t.test('if nothing gets through, the oldest reports are lost, and memory is bounded', async (t) => {
  const { add, clock, sent, lost, state } = start();
  state.hangs = true;
  for (let at = 0; at < 1_000; at++) add(String(at));
  await clock.advance(1_000);
  t.strictSame([sent.length, lost.length], [1, 950]);
  t.equal(lost.at(-1), '949');
});

await t.test('the end of the agent ends it', async (t) => {
  const { add, clock, sent, lost, state, end } = start();
  state.failures = 100;
  for (const report of ['a', 'b']) add(report);
  await clock.advance(500);
  end();
  await clock.advance(60_000);
  t.strictSame([sent, lost], [['a'], []]);
});

interface StartedQueue {
  readonly clock: FakeClock;
  readonly sent: string[];
  readonly lost: string[];
  readonly state: { failures: number; hangs: boolean };
  add(report: string): void;
  end(): void;
}

function start(): StartedQueue {
  const clock = createFakeClock(nowMs);
  const ending = new AbortController();
  const [sent, lost]: [string[], string[]] = [[], []];
  const state = { failures: 0, hangs: false };
  const send = async (report: string): Promise<void> => {
    sent.push(report);
    if (state.hangs) await clock.sleep(1e9, ending.signal);
    if (state.failures-- > 0) throw new Error('it is down');
  };
  const onLost = (report: string): void => void lost.push(report);
  const add = openReportQueue({ send, clock, signal: ending.signal, onLost });
  return { clock, sent, lost, state, add, end: () => ending.abort(new Error('the end')) };
}
