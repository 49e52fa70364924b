import { mock } from 'node:test';
import t from 'tap';
import type { Test } from 'tap';
import { startLimitTimers } from '../../../lib/http/limits.ts';
import type { LimitTimers } from '../../../lib/http/limits.ts';

const limits = { connectMs: 1_000, totalMs: 10_000 };

interface LimitsSetup {
  readonly watch: LimitTimers;
  readonly outcomes: string[];
  readonly abort: AbortController;
  resolved(): Promise<void>;
}

function begin(t: Test, isOpen: boolean): LimitsSetup {
  mock.timers.enable({ apis: ['setTimeout'] });
  t.teardown(() => mock.timers.reset());
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const abort = new AbortController();
  const outcomes: string[] = [];
  const giveUp = (error: Error): void =>
    void outcomes.push(`${'reason' in error ? String(error.reason) : ''} ${error.message}`);
  const watch = startLimitTimers(limits, isOpen ? undefined : { resolved: promise }, abort.signal, giveUp);
  const resolved = async (): Promise<void> => {
    resolve(undefined);
    await promise;
  };
  return { watch, outcomes, abort, resolved };
}

await t.test('DNS may take longer than connecting: the second nameserver answers after 5 s', async (t) => {
  const { watch, outcomes, resolved } = begin(t, false);
  mock.timers.tick(5_100);
  await resolved();
  mock.timers.tick(999);
  watch.connected();
  mock.timers.tick(9_000);
  t.strictSame(outcomes, []);
  mock.timers.tick(1);
  t.strictSame(outcomes, ['timeout 10 s'], 'the whole time counts from the address on');
});

await t.test('DNS that never answers is given up after 12 s, and is named', (t) => {
  const { outcomes } = begin(t, false);
  mock.timers.tick(11_999);
  t.strictSame(outcomes, []);
  mock.timers.tick(1);
  t.strictSame(outcomes, ['name-timeout 12 s']);
  t.end();
});

await t.test('connecting has its limit once the address is known', async (t) => {
  const { outcomes, resolved } = begin(t, false);
  await resolved();
  mock.timers.tick(1_000);
  t.strictSame(outcomes, ['connect-timeout 1 s']);
});

await t.test('on an open connection only the whole time counts', (t) => {
  const { outcomes } = begin(t, true);
  mock.timers.tick(9_999);
  t.strictSame(outcomes, []);
  mock.timers.tick(1);
  t.strictSame(outcomes, ['timeout 10 s']);
  t.end();
});

await t.test('nothing comes after the end, not even a late answer of DNS', async (t) => {
  const { watch, outcomes, abort, resolved } = begin(t, false);
  watch.stop();
  await resolved();
  abort.abort(new Error('too late'));
  mock.timers.tick(60_000);
  t.strictSame(outcomes, []);
});

await t.test('the signal ends it at any time', async (t) => {
  const { outcomes, abort } = begin(t, false);
  abort.abort(new Error('enough'));
  t.strictSame(outcomes, [' enough']);
  t.end();
});
