import t from 'tap';
import {
  burstCalls,
  createBeforeCall,
  createScopeRateLimiter,
} from '../../../ccm/node-controller/scope-rate-limiter.ts';
import { Failure } from '../../../lib/failure.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';
import { unusedContext } from '../../clouds/contexts.ts';

const random = (): number => 1;
const throttled = (retryAfterMs?: number): Failure =>
  new Failure('throttled', 'slow down', { remedy: 'wait', ...(retryAfterMs !== undefined && { retryAfterMs }) });

await t.test('fifty calls at once, then five a second', async (t) => {
  const gate = createScopeRateLimiter(random);
  for (let call = 0; call < 50; call += 1) {
    t.equal(gate.waitMs(1_000), 0);
    gate.take(1_000);
  }
  t.equal(gate.waitMs(1_000), 200);
  t.equal(gate.waitMs(1_200), 0);
});

await t.test('nodes that come one after the other gather for a second from one call to the next', async (t) => {
  const gate = createScopeRateLimiter(random);
  t.equal(gate.gatherMs(5_000), 0, 'the first one waits for nobody');
  gate.startBatch(5_000, true);
  t.equal(gate.gatherMs(5_300), 700);
  gate.startBatch(5_300, false);
  t.equal(gate.gatherMs(5_300), 700, 'a batch without new nodes does not make them wait longer');
  t.equal(gate.waitMs(5_300), 0, 'and nobody else has to wait');
  t.equal(gate.gatherMs(6_000), 0);
});

await t.test('further calls of a look-up do not make new nodes wait longer', async (t) => {
  const clock = createFakeClock(0);
  const limiter = createScopeRateLimiter(random);
  limiter.startBatch(0, true);
  const beforeCall = createBeforeCall(limiter, { ...unusedContext, clock });
  await beforeCall();
  await clock.advance(900);
  await beforeCall();
  t.equal(limiter.gatherMs(900), 100);
});

await t.test('each failure doubles the pause, up to 15 s, and an answer ends it', async (t) => {
  const gate = createScopeRateLimiter(random);
  const pauses: number[] = [];
  for (let failure = 0; failure < 6; failure += 1) {
    const nowMs = failure * 100_000;
    gate.failed(throttled(), nowMs);
    pauses.push(gate.waitMs(nowMs));
  }
  t.strictSame(pauses, [1_000, 2_000, 4_000, 8_000, 15_000, 15_000]);
  gate.succeeded();
  gate.failed(throttled(), 1_000_000);
  t.equal(gate.waitMs(1_000_000), 1_000);
});

await t.test('a wait that is asked for is kept, but not for hours', async (t) => {
  const gate = createScopeRateLimiter(random);
  gate.failed(throttled(42_000), 0);
  t.equal(gate.waitMs(0), 42_000);
  gate.failed(throttled(999_999_999_000), 0);
  t.equal(gate.waitMs(0), 300_000);
});

await t.test('the first call of a look-up has its token, each further call waits for one', async (t) => {
  const clock = createFakeClock(0);
  const limiter = createScopeRateLimiter(random);
  for (let call = 0; call < burstCalls; call += 1) limiter.take(0);
  const beforeCall = createBeforeCall(limiter, { ...unusedContext, clock });
  await beforeCall();
  const callsAtMs: number[] = [];
  const calls = [beforeCall(), beforeCall()].map((call) => call.then(() => callsAtMs.push(clock.monotonicMs())));
  await clock.advance(1_000);
  await Promise.all(calls);
  t.strictSame(callsAtMs, [200, 400]);
});

await t.test('a call waits as long as the cloud asked to, unless the look-up has to end before', async (t) => {
  const clock = createFakeClock(0);
  const limiter = createScopeRateLimiter(random);
  limiter.failed(throttled(2_000), 0);
  const waiting = createBeforeCall(limiter, { ...unusedContext, clock, deadlineAtMs: 30_000 })();
  const hurried = createBeforeCall(limiter, { ...unusedContext, clock, deadlineAtMs: 1_000 });
  await t.rejects(hurried(), { kind: 'throttled', message: /leaves no time/ });
  let isSent = false;
  const sent = waiting.then(() => (isSent = true));
  await clock.advance(1_999);
  t.notOk(isSent);
  await clock.advance(1);
  await sent;
});

await t.test('calls that fail together make the pause longer once', (t) => {
  const limiter = createScopeRateLimiter(random);
  for (let call = 0; call < 10; call += 1) limiter.failed(throttled(), 0);
  t.equal(limiter.backoffMs(0), 1_000);
  limiter.failed(throttled(5_000), 500);
  t.equal(limiter.backoffMs(500), 5_000, 'and the longest wait that one of them is asked for counts');
  t.end();
});

await t.test('a cloud that asks to wait for no time is not called again at once', (t) => {
  const limiter = createScopeRateLimiter(random);
  limiter.failed(throttled(0), 0);
  t.equal(limiter.waitMs(0), 1_000);
  t.end();
});

await t.test('calls have their turns in order, and new Nodes do not wait for all of them', async (t) => {
  const clock = createFakeClock(0);
  const limiter = createScopeRateLimiter(random);
  for (let call = 0; call < 50; call += 1) limiter.take(0);
  const beforeCall = createBeforeCall(limiter, { ...unusedContext, clock });
  await beforeCall();
  const order: number[] = [];
  const calls = Array.from({ length: 20 }, (_, index) => beforeCall().then(() => order.push(index)));
  t.equal(limiter.waitMs(0), 20 * 200 + 200, 'other batches do');
  t.equal(limiter.waitMs(0, true), 0);
  limiter.startBatch(0, true);
  t.equal(limiter.waitMs(0, true), 1_000, 'and not all of these at once');
  await clock.advance(2_000);
  t.strictSame(order, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  await clock.advance(2_000);
  await Promise.all(calls);
});

await t.test('calls that have waited for a turn do not go out together at the end of a backoff', async (t) => {
  const clock = createFakeClock(0);
  const limiter = createScopeRateLimiter(random);
  for (let call = 0; call < 50; call += 1) limiter.take(0);
  const beforeCall = createBeforeCall(limiter, { ...unusedContext, clock });
  await beforeCall();
  let sent = 0;
  const calls = Array.from({ length: 80 }, () => beforeCall().then(() => (sent += 1)));
  limiter.failed(throttled(20_000), 0);
  await clock.advance(20_000);
  t.equal(sent, 50, 'as many as at any time');
  await clock.advance(6_000);
  await Promise.all(calls);
});

await t.test('a wait too short for the clock ends', async () => {
  const clock = createFakeClock(0);
  await clock.advance(152_300);
  const limiter = createScopeRateLimiter(random);
  for (let call = 0; call < 50; call += 1) limiter.take(152_300);
  const beforeCall = createBeforeCall(limiter, { ...unusedContext, deadlineAtMs: 1e9, clock });
  await beforeCall();
  await clock.advance(200 - 1e-10);
  const call = beforeCall();
  await clock.advance(10);
  await call;
});
