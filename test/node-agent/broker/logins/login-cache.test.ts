import t from 'tap';
import { Failure } from '../../../../lib/failure.ts';
import type { Login } from '../../../../lib/registry-login/registry.ts';
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

await t.test('who asks at the same time shares one login, and so does who comes later', async (t) => {
  const stage = createHarness();
  const together = await Promise.all([stage.password('a'), stage.password('a'), stage.password('b')]);
  t.strictSame(together, ['a 1', 'a 1', 'b 2']);
  t.equal(await stage.password('a'), 'a 1');
  t.strictSame(stage.events, ['asked', 'shared', 'asked', 'kept']);
});

await t.test('past half of its life it answers still, while the next one is fetched once', async (t) => {
  const stage = createHarness();
  await stage.password('a');
  await stage.clock.advance(4 * hourMs);
  t.equal(await stage.password('a'), 'a 1');
  t.equal(stage.asked, 1, 'nothing to do yet');
  await stage.clock.advance(2 * hourMs);
  t.strictSame(await Promise.all([stage.password('a'), stage.password('a')]), ['a 1', 'a 1']);
  await stage.clock.advance(0);
  t.equal(await stage.password('a'), 'a 2');
  t.strictSame(stage.events, ['asked', 'kept', 'kept', 'kept', 'refresh done', 'kept']);
});

await t.test('a login that is about to end waits for the next one, but not for long', async (t) => {
  const stage = createHarness();
  const minuteMs = 60_000;
  await stage.password('a');
  await stage.clock.advance(lifeMs - 16 * minuteMs);
  t.equal(await stage.password('a'), 'a 1', 'a slow pull gets through');
  await stage.clock.advance(lifeMs - 14 * minuteMs);
  t.equal(await stage.password('a'), 'a 3', 'a slow pull would not');
  await stage.clock.advance(lifeMs - minuteMs);
  const hangs = stage.job('a', { run: () => new Promise(() => {}) }, {});
  const waiting = stage.logins.get(hangs);
  await stage.clock.advance(5_000);
  t.equal((await waiting).login.password.reveal(), 'a 3', 'a cloud that does not answer is not waited for');
});

await t.test('a cloud that is down is nobody’s trouble for as long as the login lives', async (t) => {
  const stage = createHarness();
  await stage.password('a');
  stage.isDown = true;
  await stage.clock.advance(lifeMs - 1);
  t.equal(await stage.password('a'), 'a 1');
  t.equal(await stage.password('a'), 'a 1');
  t.equal(stage.asked, 2, 'and it is not asked at each request');
  await stage.clock.advance(1);
  await t.rejects(stage.password('a'), { message: 'the cloud is down' });
  stage.isDown = false;
  t.equal(await stage.password('a'), 'a 4', 'a failure is not kept');
});

await t.test('a wall clock that jumps past the end counts, whatever the cache believes', async (t) => {
  const stage = createHarness();
  await stage.password('a');
  stage.clock.setWall(stage.clock.wallMs() + lifeMs);
  t.equal(await stage.password('a'), 'a 2');
});

await t.test('a login without an end is given to those who wait for it, and to nobody else', async (t) => {
  const stage = createHarness();
  const errand: LoginJob = { ...stage.job('a', {}, {}), run: endless };
  async function endless(): Promise<Login> {
    stage.asked += 1;
    return { username: 'u', password: new Secret(String(stage.asked)), endsWithToken: false };
  }
  const [one, other] = await Promise.all([stage.logins.get(errand), stage.logins.get(errand)]);
  t.equal(one, other);
  t.equal((await stage.logins.get(errand)).login.password.reveal(), '2');
});

await t.test('a failure is shared by those who waited for it', async (t) => {
  const stage = createHarness();
  stage.isDown = true;
  const results = await Promise.allSettled([stage.password('a'), stage.password('a')]);
  t.strictSame(
    results.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  t.equal(stage.asked, 1);
});

await t.test('the node’s logins are renewed with nobody asking, if they are wanted', async (t) => {
  const stage = createHarness();
  await stage.password('a');
  await stage.logins.get(stage.job('pod', { identity: 'pod', tokenEndsAtMs: stage.clock.wallMs() + lifeMs }, {}));
  await stage.clock.advance(6 * hourMs);
  await stage.logins.refreshDue();
  t.equal(stage.asked, 3, "a pod's is not: its token is the pod's");
  t.equal(await stage.password('a'), 'a 3');
  for (let period = 0; period < 10; period++) {
    await stage.clock.advance(6 * hourMs);
    await stage.logins.refreshDue();
  }
  t.ok(stage.asked <= 7, `unwanted for 24 hours, it is left alone: asked ${stage.asked} times`);
  t.strictSame(stage.logins.list(), [], 'and forgotten after its end');
});

await t.test('a refresh that fails is tried again soon, not at once', async (t) => {
  const stage = createHarness();
  await stage.password('a');
  stage.isDown = true;
  await stage.clock.advance(6 * hourMs);
  await stage.logins.refreshDue();
  await stage.logins.refreshDue();
  t.equal(stage.asked, 2);
  await stage.clock.advance(60_000);
  await stage.logins.refreshDue();
  t.equal(stage.asked, 3);
});

await t.test(
  'a pod’s login ends with its token where the cloud ties them, and is not kept if nobody knows when',
  async (t) => {
    const stage = createHarness();
    const endMs = stage.clock.wallMs() + hourMs;
    const tied = { endsWithToken: true };
    const get = async (more: Partial<LoginJob>): Promise<number | undefined> =>
      (await stage.logins.get(stage.job(JSON.stringify(more), { identity: 'pod', ...more }, tied))).expiresAtMs;
    t.equal(await get({ tokenEndsAtMs: endMs }), endMs);
    t.equal(await get({}), undefined);
    t.equal(await get({}), undefined);
    t.equal(stage.asked, 3);
  },
);

await t.test('what was under way when everything was forgotten is given to those who wait, and not kept', async (t) => {
  const { logins, job: errand } = createHarness();
  const cloud = Promise.withResolvers<Login>();
  const waiting = logins.get(errand('a', { run: async () => cloud.promise }, {}));
  logins.clear();
  cloud.resolve(await errand('a', {}, {}).run());
  t.equal((await waiting).login.password.reveal(), 'a 1');
  t.strictSame(logins.list(), []);
});

await t.test('memory is bounded', async (t) => {
  const stage = createHarness();
  for (let i = 0; i < 3_000; i++) await stage.password(`registry ${i}`);
  t.equal(stage.logins.list().length, 1_000);
  const large = new Secret('x'.repeat(3_000_000));
  for (let i = 0; i < 5; i++) await stage.logins.get(stage.job(`large ${i}`, {}, { password: large }));
  t.ok(stage.logins.list().length <= 2);
});
