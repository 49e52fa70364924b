import t from 'tap';
import type { Notices } from '../../../clouds/cloud.ts';
import { Failure } from '../../../lib/failure.ts';
import { createHeartbeat } from '../../../node-agent/interruption/heartbeat.ts';
import { mergeNotices } from '../../../node-agent/interruption/merge-notices.ts';
import { pollForever } from '../../../node-agent/interruption/poll-loop.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';
import { unusedContext } from '../../clouds/contexts.ts';
import { logInto } from '../../support/logs.ts';
import { notice, nowMs } from './notices.ts';

const down = new Failure('unavailable', 'it is down', { remedy: 'wait' });
const spot = notice({ id: 'spot/1' });

await t.test('a metadata service that is away for two minutes: a notice waits when it is back', async (t) => {
  const { clock, service, seen, lines, failures, stop } = start();
  await clock.advance(10_000);
  service.fails = down;
  service.notices = [spot];
  await clock.advance(120_000);
  t.strictSame(seen, []);
  t.equal(lines.filter((line) => line.includes('Notices cannot be read')).length, 1);
  t.ok(failures.count >= 59);
  service.fails = undefined;
  await clock.advance(2_000);
  t.strictSame(seen, ['spot/1']);
  t.ok(lines.some((line) => line.includes('Notices are read again')));
  await stop();
});

await t.test('a source that fails is logged once, and its end', async (t) => {
  const { clock, service, lines, stop } = start();
  service.unread = ['rebalance'];
  await clock.advance(60_000);
  t.strictSame(lines, ['Notices cannot be read source="rebalance" err="it is down" hint="wait"']);
  service.unread = [];
  await clock.advance(2_000);
  t.strictSame(lines.slice(1), ['Notices are read again source="rebalance"']);
  await stop();
});

await t.test('the cursor goes from poll to poll, also over a failure', async (t) => {
  const { clock, service, stop } = start();
  await clock.advance(4_000);
  service.fails = down;
  await clock.advance(4_000);
  service.fails = undefined;
  await clock.advance(2_000);
  t.strictSame([...new Set(service.cursors)], [undefined, 1, 2, 3]);
  await stop();
});

await t.test('what is known after a poll', (t) => {
  const first = notice({ id: 'a', firstSeenAtMs: nowMs - 60_000 });
  const other = notice({ id: 'b', source: 'rebalance', firstSeenAtMs: nowMs - 60_000 });
  const times = { nowMs, unknownTimeMs: 120_000 };
  const merge = (notices: readonly (typeof first)[], unread: readonly string[]): readonly string[] =>
    mergeNotices([first, other], { notices, unread: unread.map((source) => ({ source, failure: down })) }, times).map(
      ({ id, firstSeenAtMs }) => `${id} ${String((nowMs - firstSeenAtMs) / 1_000)}`,
    );
  t.strictSame(merge([first, other], []), ['a 60', 'b 60'], 'the same');
  t.strictSame(merge([other], []), ['b 60'], 'one was withdrawn');
  t.strictSame(merge([other], ['spot']), ['a 60', 'b 60'], 'one could not be read');
  t.strictSame(merge([notice({ id: 'c' })], ['rebalance']), ['b 60', 'c 0'], 'one was replaced');
  t.strictSame(merge([], ['spot', 'rebalance']), ['a 60', 'b 60'], 'nothing could be read');
  t.end();
});

interface Polling {
  readonly clock: FakeClock;
  readonly service: {
    notices: Awaited<ReturnType<Notices['poll']>>['notices'];
    unread: readonly string[];
    fails: Failure | undefined;
    readonly cursors: unknown[];
  };
  /** Ids of notices, each once. */
  readonly seen: string[];
  readonly lines: string[];
  readonly failures: { count: number };
  stop(): Promise<void>;
}

function start(): Polling {
  const clock = createFakeClock(nowMs);
  const service: Polling['service'] = { notices: [], unread: [], fails: undefined, cursors: [] };
  const [seen, lines]: [string[], string[]] = [[], []];
  const failures = { count: 0 };
  const ending = new AbortController();
  const running = pollForever(
    {
      notices: {
        poll: async (cursor) => {
          service.cursors.push(cursor);
          await Promise.resolve();
          if (service.fails !== undefined) throw service.fails;
          const unread = service.unread.map((source) => ({ source, failure: down }));
          return { notices: service.notices, unread, cursor: Number(cursor ?? 0) + 1, waitMs: 2_000 };
        },
      },
      clock,
      heartbeat: createHeartbeat(clock),
      log: logInto((line) => void lines.push(line)),
      contextFor: () => ({ ...unusedContext, clock }),
      onPoll: ({ notices }) => {
        for (const { id } of notices) if (!seen.includes(id)) seen.push(id);
      },
      onFailure: () => {
        failures.count += 1;
      },
    },
    ending.signal,
  );
  const stop = async (): Promise<void> => {
    ending.abort(new Error('the end'));
    await running;
  };
  return { clock, service, seen, lines, failures, stop };
}
