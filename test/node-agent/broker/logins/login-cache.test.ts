import t from 'tap';
import { Failure } from '../../../../lib/failure.ts';
import type { Login } from '../../../../clouds/cloud.ts';
import { Secret } from '../../../../lib/secret.ts';
import { createLoginCache } from '../../../../node-agent/broker/logins/login-cache.ts';
import type { LoginCache } from '../../../../node-agent/broker/logins/login-cache.ts';
import type { LoginJob } from '../../../../node-agent/broker/logins/login-job.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import type { FakeClock } from '../../../clocks/fake-clock.ts';

const hourMs = 3_600_000;
const lifeMs = 12 * hourMs;

interface CacheHarness {
  readonly clock: FakeClock;
  readonly logins: LoginCache;
  readonly events: string[];
  /** Makes the cloud fail, or answer again. */
  isDown: boolean;
  asked: number;
  job(key: string, more: Partial<LoginJob>, login: Partial<Login>): LoginJob;
  password(key: string): Promise<string>;
}

function createHarness(): CacheHarness {
  const clock = createFakeClock(Date.parse('2026-11-18T12:00:00Z'));
  const events: string[] = [];
  const logins = createLoginCache({
    clock,
    random: () => 0.5,
    events: { used: (how) => void events.push(how), refreshed: (result) => void events.push(`refresh ${result}`) },
  });
  const harness: CacheHarness = {
    clock,
    logins,
    events,
    isDown: false,
    asked: 0,
    job: (key, more, login) => ({
      key,
      registry: key,
      identity: 'node',
      run: async () => {
        harness.asked += 1;
        const password = new Secret(`${key} ${harness.asked}`);
        if (harness.isDown) throw new Failure('unavailable', 'the cloud is down', { remedy: 'wait' });
        return { username: 'u', password, endsWithToken: false, expiresAtMs: clock.wallMs() + lifeMs, ...login };
      },
      ...more,
    }),
    password: async (key) => (await logins.get(harness.job(key, {}, {}))).login.password.reveal(),
  };
  return harness;
}

await t.test('requests at the same time share one login, and so do later ones', async (t) => {
  const harness = createHarness();
  const together = await Promise.all([harness.password('a'), harness.password('a'), harness.password('b')]);
  t.strictSame(together, ['a 1', 'a 1', 'b 2']);
  t.equal(await harness.password('a'), 'a 1');
  t.strictSame(harness.events, ['asked', 'shared', 'asked', 'kept']);
});

await t.test('past half of its life a login is still returned, while the next one is requested once', async (t) => {
  const harness = createHarness();
  await harness.password('a');
  await harness.clock.advance(4 * hourMs);
  t.equal(await harness.password('a'), 'a 1');
  t.equal(harness.asked, 1, 'nothing to do yet');
  await harness.clock.advance(2 * hourMs);
  t.strictSame(await Promise.all([harness.password('a'), harness.password('a')]), ['a 1', 'a 1']);
  await harness.clock.advance(0);
  t.equal(await harness.password('a'), 'a 2');
  t.strictSame(harness.events, ['asked', 'kept', 'kept', 'kept', 'refresh done', 'kept']);
});

await t.test('near the end of a login a request waits for the next one, but not for long', async (t) => {
  const harness = createHarness();
  const minuteMs = 60_000;
  await harness.password('a');
  await harness.clock.advance(lifeMs - 16 * minuteMs);
  t.equal(await harness.password('a'), 'a 1', 'a slow pull gets through');
  await harness.clock.advance(lifeMs - 14 * minuteMs);
  t.equal(await harness.password('a'), 'a 3', 'a slow pull would not');
  await harness.clock.advance(lifeMs - minuteMs);
  const hangs = harness.job('a', { run: () => new Promise(() => {}) }, {});
  const waiting = harness.logins.get(hangs);
  await harness.clock.advance(5_000);
  t.equal((await waiting).login.password.reveal(), 'a 3', 'a cloud that does not answer is not waited for');
});

await t.test('while a login is valid, an unavailable cloud has no effect', async (t) => {
  const harness = createHarness();
  await harness.password('a');
  harness.isDown = true;
  await harness.clock.advance(lifeMs - 1);
  t.equal(await harness.password('a'), 'a 1');
  t.equal(await harness.password('a'), 'a 1');
  t.equal(harness.asked, 2, 'and it is not asked at each request');
  await harness.clock.advance(1);
  await t.rejects(harness.password('a'), { message: 'the cloud is down' });
  harness.isDown = false;
  t.equal(await harness.password('a'), 'a 4', 'a failure is not cached');
});

await t.test('a wall clock that jumps past the expiry counts', async (t) => {
  const harness = createHarness();
  await harness.password('a');
  harness.clock.setWall(harness.clock.wallMs() + lifeMs);
  t.equal(await harness.password('a'), 'a 2');
});

await t.test('a login without an expiry is returned to waiting requests only', async (t) => {
  const harness = createHarness();
  const job: LoginJob = { ...harness.job('a', {}, {}), run: endless };
  async function endless(): Promise<Login> {
    harness.asked += 1;
    return { username: 'u', password: new Secret(String(harness.asked)), endsWithToken: false };
  }
  const [one, other] = await Promise.all([harness.logins.get(job), harness.logins.get(job)]);
  t.equal(one, other);
  t.equal((await harness.logins.get(job)).login.password.reveal(), '2');
});

await t.test('waiting requests share a failure', async (t) => {
  const harness = createHarness();
  harness.isDown = true;
  const results = await Promise.allSettled([harness.password('a'), harness.password('a')]);
  t.strictSame(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.equal(harness.asked, 1);
});

await t.test('the node’s logins are refreshed without a request, if they are in use', async (t) => {
  const harness = createHarness();
  await harness.password('a');
  await harness.logins.get(harness.job('pod', { identity: 'pod', tokenEndsAtMs: harness.clock.wallMs() + lifeMs }, {}));
  await harness.clock.advance(6 * hourMs);
  await harness.logins.refreshDue();
  t.equal(harness.asked, 3, "a pod's is not: its token is the pod's");
  t.equal(await harness.password('a'), 'a 3');
  for (let period = 0; period < 10; period++) {
    await harness.clock.advance(6 * hourMs);
    await harness.logins.refreshDue();
  }
  t.ok(harness.asked <= 7, `unwanted for 24 hours, it is left alone: asked ${harness.asked} times`);
  t.strictSame(harness.logins.list(), [], 'and forgotten after its end');
});

await t.test('a failed refresh is retried soon, but not at once', async (t) => {
  const harness = createHarness();
  await harness.password('a');
  harness.isDown = true;
  await harness.clock.advance(6 * hourMs);
  await harness.logins.refreshDue();
  await harness.logins.refreshDue();
  t.equal(harness.asked, 2);
  await harness.clock.advance(60_000);
  await harness.logins.refreshDue();
  t.equal(harness.asked, 3);
});

await t.test(
  'a pod’s login ends with its token where the cloud ties them, and is not cached without an expiry',
  async (t) => {
    const harness = createHarness();
    const endMs = harness.clock.wallMs() + hourMs;
    const tied = { endsWithToken: true };
    const get = async (more: Partial<LoginJob>): Promise<number | undefined> =>
      (await harness.logins.get(harness.job(JSON.stringify(more), { identity: 'pod', ...more }, tied))).expiresAtMs;
    t.equal(await get({ tokenEndsAtMs: endMs }), endMs);
    t.equal(await get({}), undefined);
    t.equal(await get({}), undefined);
    t.equal(harness.asked, 3);
  },
);

await t.test('after clear, a login under way is returned to waiting requests and not cached', async (t) => {
  const { logins, job } = createHarness();
  const cloud = Promise.withResolvers<Login>();
  const waiting = logins.get(job('a', { run: async () => cloud.promise }, {}));
  logins.clear();
  cloud.resolve(await job('a', {}, {}).run());
  t.equal((await waiting).login.password.reveal(), 'a 1');
  t.strictSame(logins.list(), []);
});

await t.test('memory is bounded', async (t) => {
  const harness = createHarness();
  for (let i = 0; i < 3_000; i++) await harness.password(`registry ${i}`);
  t.equal(harness.logins.list().length, 1_000);
  const large = new Secret('x'.repeat(3_000_000));
  for (let i = 0; i < 5; i++) await harness.logins.get(harness.job(`large ${i}`, {}, { password: large }));
  t.ok(harness.logins.list().length <= 2);
});
