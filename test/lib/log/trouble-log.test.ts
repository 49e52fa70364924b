import t from 'tap';
import { createTroubleLog } from '../../../lib/log/trouble-log.ts';
import type { TroubleLog } from '../../../lib/log/trouble-log.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';

interface Opened {
  readonly clock: FakeClock;
  readonly trouble: TroubleLog;
  readonly said: string[];
}

function open(): Opened {
  const clock = createFakeClock(0);
  const said: string[] = [];
  const trouble = createTroubleLog({
    clock,
    fails: ({ err }) => void said.push(err),
    failsStill: () => {},
    works: () => void said.push('works'),
  });
  return { clock, trouble, said };
}

await t.test('a failure is said once, another one as well, and their end once', async (t) => {
  const { clock, trouble, said } = open();
  trouble.over();
  for (let minute = 0; minute < 60; minute++) {
    trouble.met({ err: 'denied' });
    if (minute > 30) trouble.met({ err: 'throttled' });
    await clock.advance(60_000);
  }
  trouble.over();
  trouble.over();
  t.strictSame(said, ['denied', 'throttled', 'works']);
});

await t.test('what comes and goes all the time is said once in 5 minutes', async (t) => {
  const { clock, trouble, said } = open();
  for (let second = 0; second < 599; second++) {
    trouble.met({ err: 'busy' });
    trouble.over();
    await clock.advance(1_000);
  }
  t.strictSame(said, ['busy', 'works', 'busy', 'works']);
});

await t.test('one that stays is said after these 5 minutes', async (t) => {
  const { clock, trouble, said } = open();
  trouble.met({ err: 'busy' });
  trouble.over();
  await clock.advance(299_000);
  trouble.met({ err: 'busy' });
  t.strictSame(said, ['busy', 'works']);
  await clock.advance(1_000);
  trouble.met({ err: 'busy' });
  t.strictSame(said, ['busy', 'works', 'busy']);
});

await t.test('texts that are another one each time do not fill the log', (t) => {
  const { trouble, said } = open();
  for (let count = 0; count < 1_000; count++) trouble.met({ err: `request ${String(count)}` });
  t.equal(said.length, 20);
  t.end();
});
