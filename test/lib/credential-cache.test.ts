import t from 'tap';
import type { AwsCredentials } from '../../clouds/aws/identity/credentials.ts';
import { createCredentialCache } from '../../lib/credential-cache.ts';
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
