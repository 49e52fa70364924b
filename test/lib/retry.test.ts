import t from 'tap';
import { Failure } from '../../lib/failure.ts';
import type { FailureKind } from '../../lib/failure.ts';
import { logInto } from '../support/logs.ts';
import { retry, retryAfterMs } from '../../lib/retry.ts';
import type { RetryContext } from '../../lib/retry.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import type { FakeClock } from '../clocks/fake-clock.ts';

const policy = { attempts: 4, firstWaitMs: 200, maxWaitMs: 500 };
const wallAtStartMs = Date.parse('2026-11-18T12:00:00Z');

interface RetrySetup {
  readonly clock: FakeClock;
  readonly context: RetryContext;
  readonly steps: string[];
  readonly controller: AbortController;
}

function setUp(settings: { readonly deadlineAtMs: number; readonly random: () => number }): RetrySetup {
  const clock = createFakeClock(wallAtStartMs);
  const controller = new AbortController();
  const steps: string[] = [];
  const log = logInto((line) => steps.push(line), 1);
  return { clock, steps, controller, context: { signal: controller.signal, clock, log, ...settings } };
}

function failure(kind: FailureKind, askedToWaitMs?: number): Failure {
  return new Failure(kind, `${kind} it is`, {
    remedy: 'none',
    ...(askedToWaitMs !== undefined && { retryAfterMs: askedToWaitMs }),
  });
}

/** Fails with each of these in turn, then succeeds. */
function failing(...failures: readonly unknown[]): { readonly operation: () => Promise<string>; calls(): number } {
  let calls = 0;
  const operation = async (): Promise<string> => {
    calls += 1;
    if (calls <= failures.length) throw failures[calls - 1];
    return `answer ${calls}`;
  };
  return { operation, calls: () => calls };
}

const generousLimits = { deadlineAtMs: 60_000, random: () => 0.5 };

await t.test('a call that succeeds is made once', async (t) => {
  const { context, clock } = setUp(generousLimits);
  t.equal(await retry(failing().operation, policy, context), 'answer 1');
  t.strictSame(clock.sleepsMs, []);
});

const passing: readonly FailureKind[] = ['throttled', 'unavailable', 'invalid-response'];
for (const kind of passing) {
  await t.test(`${kind} is retried`, async (t) => {
    const { context, clock, steps } = setUp(generousLimits);
    const { operation, calls } = failing(failure(kind), failure(kind));
    const answer = retry(operation, policy, context);
    await clock.advance(10_000);
    t.equal(await answer, 'answer 3');
    t.equal(calls(), 3);
    t.strictSame(steps, [`${kind} it is; again in 150 ms`, `${kind} it is; again in 300 ms`]);
  });
}

const final: readonly FailureKind[] = ['denied', 'not-found', 'misconfigured'];
for (const kind of final) {
  await t.test(`${kind} is final at once, even with a Retry-After`, async (t) => {
    const { context, clock } = setUp(generousLimits);
    const { operation, calls } = failing(failure(kind, 1));
    await t.rejects(retry(operation, policy, context), { name: 'Failure', kind });
    t.equal(calls(), 1);
    t.strictSame(clock.sleepsMs, []);
  });
}

for (const error of [new Error('a mistake of ours'), new TypeError('another'), 'no error at all', undefined]) {
  await t.test(`another error than a Failure is final at once: ${String(error)}`, async (t) => {
    const { operation, calls } = failing(error);
    const outcome = await retry(operation, policy, setUp(generousLimits).context).catch((thrown: unknown) => ({
      thrown,
    }));
    t.strictSame(outcome, { thrown: error });
    t.equal(calls(), 1);
  });
}

await t.test('after the last attempt the last failure is thrown', async (t) => {
  const { context, clock } = setUp(generousLimits);
  const { operation, calls } = failing(...Array.from({ length: 9 }, () => failure('unavailable')));
  const answer = t.rejects(retry(operation, policy, context), { name: 'Failure', kind: 'unavailable' });
  await clock.advance(60_000);
  await answer;
  t.equal(calls(), policy.attempts);
  t.equal(clock.sleepsMs.length, policy.attempts - 1);
});

for (const { random, expectedMs } of [
  { random: 0, expectedMs: [100, 200, 250] },
  { random: 0.5, expectedMs: [150, 300, 375] },
  { random: 0.999_999, expectedMs: [200, 400, 500] },
]) {
  await t.test(`waits double up to the longest, half to whole of it by chance: ${random}`, async (t) => {
    const { context, clock } = setUp({ deadlineAtMs: 60_000, random: () => random });
    const answer = retry(
      failing(...Array.from({ length: 3 }, () => failure('unavailable'))).operation,
      policy,
      context,
    );
    await clock.advance(10_000);
    await answer;
    t.strictSame(clock.sleepsMs.map(Math.round), expectedMs);
    t.ok(clock.sleepsMs.every((waitMs, index) => waitMs <= (expectedMs[index] ?? 0) + 0.1));
  });
}

await t.test('a Retry-After is kept exactly, without jitter', async (t) => {
  const { context, clock } = setUp(generousLimits);
  const { operation, calls } = failing(failure('throttled', 7_000));
  const answer = retry(operation, policy, context);
  await clock.advance(6_999);
  t.equal(calls(), 1, 'not a moment early');
  await clock.advance(1);
  t.equal(await answer, 'answer 2');
  t.strictSame(clock.sleepsMs, [7_000]);
});

for (const { askedToWaitMs, kept } of [
  { askedToWaitMs: 9_999, kept: true },
  { askedToWaitMs: 10_000, kept: false },
  { askedToWaitMs: 86_400_000, kept: false },
]) {
  await t.test(`with 10 s left, a wait of ${askedToWaitMs} ms is ${kept ? 'kept' : 'not started'}`, async (t) => {
    const { context, clock } = setUp({ deadlineAtMs: 10_000, random: () => 0.5 });
    const { operation, calls } = failing(failure('throttled', askedToWaitMs));
    const answer = retry(operation, policy, context).catch((error: unknown) => error);
    await clock.advance(kept ? 10_000 : 0);
    if (kept) t.equal(await answer, 'answer 2');
    else t.match(await answer, { kind: 'throttled', retryAfterMs: askedToWaitMs });
    t.equal(calls(), kept ? 2 : 1);
  });
}

await t.test('a backoff that would end after the deadline is not started either', async (t) => {
  const { context, clock } = setUp({ deadlineAtMs: 100, random: () => 0 });
  await t.rejects(retry(failing(failure('unavailable')).operation, policy, context), {
    name: 'Failure',
    kind: 'unavailable',
  });
  t.strictSame(clock.sleepsMs, []);
});

await t.test('an abort ends the wait at once', async (t) => {
  const { context, controller } = setUp(generousLimits);
  const { operation, calls } = failing(failure('throttled', 30_000));
  const answer = retry(operation, policy, context);
  controller.abort(new Error('answered'));
  await t.rejects(answer, { message: 'answered' });
  t.equal(calls(), 1);
});

const headers: readonly (readonly [header: string | undefined, waitMs: number | undefined])[] = [
  [undefined, undefined],
  ['0', 0],
  ['7', 7_000],
  ['007', 7_000],
  ['120', 120_000],
  ['999999999', 999_999_999_000],
  ['Wed, 18 Nov 2026 12:00:05 GMT', 5_000],
  ['Wed, 18 Nov 2026 11:00:00 GMT', 0],
  ['', undefined],
  ['soon', undefined],
  // JavaScript would read each of these as a date of the year 2001, long past: no wait at all.
  ['1.5', undefined],
  ['-5', undefined],
  ['5, 5', undefined],
  ['soon 7', undefined],
  ['in 5 s', undefined],
  ['May', undefined],
];

for (const [header, waitMs] of headers) {
  await t.test(
    `Retry-After ${JSON.stringify(header)} says ${waitMs === undefined ? 'nothing' : `${waitMs} ms`}`,
    (t) => {
      t.equal(retryAfterMs(header, wallAtStartMs), waitMs);
      t.end();
    },
  );
}
