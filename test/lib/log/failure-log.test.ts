import t from 'tap';
import { openFailureLog } from '../../../lib/log/failure-log.ts';
import type { FailureLog } from '../../../lib/log/failure-log.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import type { FakeClock } from '../../clocks/fake-clock.ts';

interface FailureLogSetup {
  readonly clock: FakeClock;
  readonly trouble: FailureLog;
  readonly said: string[];
}

function open(): FailureLogSetup {
  const clock = createFakeClock(0);
  const said: string[] = [];
  const trouble = openFailureLog({
    clock,
    logFailure: ({ err }) => void said.push(err),
    logRepeatedFailure: () => {},
    logRecovery: () => void said.push('works'),
  });
  return { clock, trouble, said };
}

await t.test('each failure is logged once, then one line every 5 minutes, and the recovery once', async (t) => {
  const { clock, trouble, said } = open();
  trouble.recovered();
  for (let second = 0; second < 660; second++) {
    trouble.failed({ err: 'denied' });
    if (second > 400) trouble.failed({ err: 'throttled' });
    await clock.advance(1_000);
  }
  trouble.recovered();
  trouble.recovered();
  t.strictSame(said, ['denied', 'denied', 'throttled', 'works']);
});

await t.test('the line comes again after 5 minutes, also if its text is another one each time', async (t) => {
  const { clock, trouble, said } = open();
  for (let count = 0; count < 30; count++) trouble.failed({ err: `request ${String(count)}` });
  t.equal(said.length, 20);
  await clock.advance(300_000);
  for (let count = 30; count < 60; count++) trouble.failed({ err: `request ${String(count)}` });
  t.strictSame(said.slice(20), ['request 30']);
});

await t.test('a failure that comes and goes is logged once in 5 minutes', async (t) => {
  const { clock, trouble, said } = open();
  for (let second = 0; second < 599; second++) {
    trouble.failed({ err: 'busy' });
    trouble.recovered();
    await clock.advance(1_000);
  }
  t.strictSame(said, ['busy', 'works', 'busy', 'works']);
});

await t.test('a failure that stays is logged after these 5 minutes', async (t) => {
  const { clock, trouble, said } = open();
  trouble.failed({ err: 'busy' });
  trouble.recovered();
  await clock.advance(299_000);
  trouble.failed({ err: 'busy' });
  t.strictSame(said, ['busy', 'works']);
  await clock.advance(1_000);
  trouble.failed({ err: 'busy' });
  t.strictSame(said, ['busy', 'works', 'busy']);
});

await t.test('texts that are another one each time do not fill the log', (t) => {
  const { trouble, said } = open();
  for (let count = 0; count < 1_000; count++) trouble.failed({ err: `request ${String(count)}` });
  t.equal(said.length, 20);
  t.end();
});
