import t from 'tap';
import { cacheCredential } from '../../../../lib/kubernetes/access/cache-credential.ts';
import type { CachedCredential } from '../../../../lib/kubernetes/access/cache-credential.ts';
import { Secret } from '../../../../lib/secret.ts';
import { createFakeClock } from '../../../clocks/fake-clock.ts';

const wallAtStartMs = Date.parse('2026-11-18T12:00:00Z');

await t.test('kept until shortly before it ends', async (t) => {
  const clock = createFakeClock(wallAtStartMs);
  let runs = 0;
  const kept = cacheCredential(async () => {
    runs += 1;
    return { token: new Secret(`token ${runs}`), expiresAtMs: clock.wallMs() + 60_000 };
  }, clock);
  t.equal(await tokenOf(kept), 'token 1');
  await clock.advance(49_999);
  t.equal(await tokenOf(kept), 'token 1');
  await clock.advance(1);
  t.equal(await tokenOf(kept), 'token 2');
  t.equal(runs, 2);
});

await t.test('without an end it is kept until it is refused', async (t) => {
  const clock = createFakeClock(wallAtStartMs);
  let runs = 0;
  const kept = cacheCredential(async () => ({ token: new Secret(`token ${(runs += 1)}`) }), clock);
  t.equal(await tokenOf(kept), 'token 1');
  await clock.advance(86_400_000);
  t.equal(await tokenOf(kept), 'token 1');
  kept.invalidate();
  t.equal(await tokenOf(kept), 'token 2');
});

await t.test('concurrent callers share one run and its failure; the next caller starts a new run', async (t) => {
  const { promise, reject } = Promise.withResolvers<never>();
  let runs = 0;
  const kept = cacheCredential(() => {
    runs += 1;
    return runs === 1 ? promise : Promise.resolve({ token: new Secret('good') });
  }, createFakeClock(wallAtStartMs));
  const waiting = Promise.allSettled(Array.from({ length: 50 }, () => kept.current()));
  reject(new Error('not now'));
  t.ok((await waiting).every(({ status }) => status === 'rejected'));
  t.equal(runs, 1);
  t.equal(await tokenOf(kept), 'good');
});

async function tokenOf(kept: CachedCredential): Promise<string | undefined> {
  return (await kept.current()).token?.reveal();
}
