import t from 'tap';
import type { AwsCredentials } from '../../clouds/aws/identity/credentials.ts';
import { createCredentialCache } from '../../lib/credential-cache.ts';
import { Failure } from '../../lib/failure.ts';
import { untilAborted } from '../../lib/kubernetes/until-aborted.ts';
import { Secret } from '../../lib/secret.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import { unusedContext } from '../clouds/contexts.ts';

const startMs = Date.parse('2026-11-18T12:00:00Z');
const minuteMs = 60_000;
const keys = (accessKeyId: string, expiresAtMs: number | undefined): AwsCredentials => ({
  accessKeyId,
  secretAccessKey: new Secret('x'),
  ...(expiresAtMs !== undefined && { expiresAtMs }),
  source: 'test',
});

function createFixture(lifeMs: number | undefined): {
  ask(atMs: number): Promise<string>;
  break(): void;
  drop(): void;
  loads(): number;
} {
  let loads = 0;
  let broken = false;
  let nowMs = startMs;
  const kept = createCredentialCache(async () => {
    if (broken) throw new Error('nobody gives any');
    loads += 1;
    return keys(`key-${loads}`, lifeMs === undefined ? undefined : nowMs + lifeMs);
  });
  return {
    ask: async (atMs) => {
      nowMs = startMs + atMs;
      const context = { ...unusedContext, clock: createFakeClock(nowMs) };
      return (await kept.get(context)).accessKeyId;
    },
    break: () => {
      broken = true;
    },
    drop: () => kept.invalidate(),
    loads: () => loads,
  };
}

await t.test('kept until five minutes before their end', async (t) => {
  const { ask } = createFixture(60 * minuteMs);
  t.equal(await ask(0), 'key-1');
  t.equal(await ask(54 * minuteMs), 'key-1');
  t.equal(await ask(55 * minuteMs), 'key-2');
});

await t.test('short ones are kept until half of their life', async (t) => {
  const { ask } = createFixture(4 * minuteMs);
  t.equal(await ask(0), 'key-1');
  t.equal(await ask(2 * minuteMs - 1), 'key-1');
  t.equal(await ask(2 * minuteMs), 'key-2');
});

await t.test('without an end they are asked for again after five minutes: files change', async (t) => {
  const { ask } = createFixture(undefined);
  t.equal(await ask(0), 'key-1');
  t.equal(await ask(4 * minuteMs), 'key-1');
  t.equal(await ask(5 * minuteMs), 'key-2');
});

await t.test('many at once ask once', async (t) => {
  const { ask, loads } = createFixture(60 * minuteMs);
  await Promise.all([ask(0), ask(0), ask(0)]);
  t.equal(loads(), 1);
});

await t.test('without new credentials the old ones serve until they expire', async (t) => {
  const subject = createFixture(60 * minuteMs);
  await subject.ask(0);
  subject.break();
  t.equal(await subject.ask(59 * minuteMs), 'key-1');
  await t.rejects(subject.ask(60 * minuteMs), { message: 'nobody gives any' });
});

await t.test('refused ones are not used again', async (t) => {
  const subject = createFixture(60 * minuteMs);
  await subject.ask(0);
  subject.drop();
  t.equal(await subject.ask(1), 'key-2');
  subject.drop();
  subject.break();
  await t.rejects(subject.ask(2), { message: 'nobody gives any' });
});

await t.test('while they are valid, a failure to renew them is not repeated for each request', async (t) => {
  let attempts = 0;
  const kept = createCredentialCache(() => {
    attempts += 1;
    return attempts === 1
      ? Promise.resolve(keys('key', startMs + 10 * minuteMs))
      : Promise.reject(new Failure('unavailable', 'no answer', { remedy: 'wait' }));
  });
  const ask = async (atMs: number): Promise<unknown> =>
    kept.get({ ...unusedContext, clock: createFakeClock(startMs + atMs) });
  await ask(0);
  for (const seconds of [1, 2, 3, 4]) await ask(6 * minuteMs + seconds * 1_000);
  t.equal(attempts, 2);
  await ask(6 * minuteMs + 30_000);
  t.equal(attempts, 3);
  await t.rejects(ask(10 * minuteMs), { message: 'no answer' });
});

await t.test('the end of one caller is not the end of the others', async (t) => {
  const ending = new AbortController();
  const kept = createCredentialCache(({ signal }) =>
    signal.aborted || signal === ending.signal
      ? untilAborted(new Promise<never>(() => {}), signal)
      : Promise.resolve(keys('key', undefined)),
  );
  const first = kept.get({ ...unusedContext, signal: ending.signal });
  const second = kept.get(unusedContext);
  ending.abort(new DOMException('too late', 'TimeoutError'));
  await t.rejects(first, { name: 'TimeoutError', message: 'too late' });
  t.match(await second, { accessKeyId: 'key' });
});
