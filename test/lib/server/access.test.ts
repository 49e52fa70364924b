import t from 'tap';
import { delegatedAccess } from '../../../lib/server/access/request-access.ts';
import type { Reviews } from '../../../lib/server/access/reviews.ts';
import { kubernetesReviews } from '../../../lib/server/access/reviews.ts';
import { createResultCache } from '../../../lib/server/result-cache.ts';
import { Secret } from '../../../lib/secret.ts';
import { createFakeClock } from '../../clocks/fake-clock.ts';

const signal = new AbortController().signal;
const query = { verb: 'get', path: '/metrics' };
const scraper = { username: 'scraper', groups: ['watchers'] };
const withToken = { certificateUser: undefined, token: new Secret('secret-token') };

await t.test('answers hold for 10 s, good ones and bad ones', async (t) => {
  const clock = createFakeClock(0);
  const { reviews, counts } = counted(true);
  const access = delegatedAccess(reviews, 10_000, clock);
  t.strictSame(await access(withToken, query, signal), { is: 'allowed' });
  await clock.advance(9_999);
  await access(withToken, query, signal);
  t.strictSame(counts, { whose: 1, allows: 1 });
  await clock.advance(1);
  await access(withToken, query, signal);
  t.strictSame(counts, { whose: 2, allows: 2 });
  const denied = counted(false);
  const strict = delegatedAccess(denied.reviews, 10_000, clock);
  t.strictSame(await strict(withToken, query, signal), { is: 'forbidden', user: scraper });
  await strict(withToken, query, signal);
  t.strictSame(denied.counts, { whose: 1, allows: 1 });
});

await t.test('many at once are one question', async (t) => {
  const { reviews, counts } = counted(true);
  const access = delegatedAccess(reviews, 10_000, createFakeClock(0));
  await Promise.all(Array.from({ length: 50 }, () => access(withToken, query, signal)));
  t.strictSame(counts, { whose: 1, allows: 1 });
});

await t.test('no answer is neither yes nor no, and is not remembered', async (t) => {
  let isAway = true;
  const { reviews } = counted(true);
  const whose: Reviews['authenticate'] = (token, limit) =>
    isAway ? Promise.reject(new Error('away')) : reviews.authenticate(token, limit);
  const access = delegatedAccess({ ...reviews, authenticate: whose }, 10_000, createFakeClock(0));
  t.match(await access(withToken, query, signal), { is: 'unknown', error: { message: 'away' } });
  isAway = false;
  t.strictSame(await access(withToken, query, signal), { is: 'allowed' });
});

await t.test('what is remembered is bounded', async (t) => {
  const cache = createResultCache<number>({ keptMs: 10_000, maxEntries: 3 }, createFakeClock(0));
  const asked: string[] = [];
  const get = (key: string): Promise<number> => {
    return cache.get(key, () => Promise.resolve(asked.push(key)));
  };
  for (const key of ['a', 'b', 'c', 'a', 'd', 'b', 'c', 'a']) await get(key);
  t.strictSame(asked, ['a', 'b', 'c', 'd', 'a']);
});

await t.test('the reviews of the API server', async (t) => {
  const sent: unknown[] = [];
  const answers: Record<string, unknown>[] = [];
  const client = {
    create: <T>(_: unknown, draft: unknown): Promise<T> => {
      sent.push(draft);
      const answer: unknown = { status: answers.shift() };
      return Promise.resolve(answer as T);
    },
  };
  const reviews = kubernetesReviews(client, client);
  const user = { username: 'a', uid: 'u', groups: ['g'], extra: { k: ['v'] } };
  answers.push({ authenticated: true, user }, { user }, { authenticated: true, user: {} }, { error: 'no' });
  t.strictSame(await reviews.authenticate(new Secret('x'), signal), user);
  for (let rest = 0; rest < 3; rest += 1) t.equal(await reviews.authenticate(new Secret('x'), signal), undefined);
  answers.push({ allowed: true }, { allowed: true, denied: true }, { allowed: false });
  const allowed = [1, 2, 3].map(() => reviews.authorize(user, query, signal));
  t.strictSame(await Promise.all(allowed), [true, false, false]);
  const spec = { user: 'a', uid: 'u', groups: ['g'], extra: { k: ['v'] }, nonResourceAttributes: query };
  t.strictSame([sent[0], sent[4]], [{ spec: { token: 'x' } }, { spec }]);
});

function counted(allowed: boolean): { readonly reviews: Reviews; readonly counts: Record<'whose' | 'allows', number> } {
  const counts = { whose: 0, allows: 0 };
  const reviews: Reviews = {
    authenticate: () => {
      counts.whose += 1;
      return Promise.resolve(scraper);
    },
    authorize: () => {
      counts.allows += 1;
      return Promise.resolve(allowed);
    },
  };
  return { reviews, counts };
}
