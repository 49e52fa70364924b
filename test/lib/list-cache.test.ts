import t from 'tap';
import type { Context } from '../../lib/context.ts';
import { Failure } from '../../lib/failure.ts';
import { createListCache } from '../../lib/list-cache.ts';
import type { ListCache } from '../../lib/list-cache.ts';
import { createFakeClock } from '../clocks/fake-clock.ts';
import { unusedContext } from '../clouds/contexts.ts';

interface Source {
  readonly cache: ListCache<string>;
  /** The page that fails next, and how. */
  fail(page: number, failure: Failure): void;
  readonly read: number[];
}

/** Lists of three pages, which know how often they were read. */
function startSource(): Source {
  const read: number[] = [];
  const failures = new Map<number, Failure>();
  const readRest = async (pages: number[]): Promise<void> => {
    while (pages.length < 3) {
      const page = pages.length + 1;
      read.push(page);
      const failure = failures.get(page);
      failures.delete(page);
      if (failure !== undefined) throw failure;
      pages.push(page);
    }
  };
  const cache = createListCache({ readRest, join: (pages: readonly number[]) => pages.join() });
  return { cache, read, fail: (page, failure) => void failures.set(page, failure) };
}

const unavailable = new Failure('unavailable', 'x', { remedy: 'y' });

await t.test('callers share the pages for 3 s', async (t) => {
  const { cache, read } = startSource();
  const clock = createFakeClock(0);
  const context: Context = { ...unusedContext, clock };
  t.equal(cache.pageCount(), 1);
  t.strictSame(await Promise.all([cache.get(context), cache.get(context)]), ['1,2,3', '1,2,3']);
  await clock.advance(2_999);
  await cache.get(context);
  t.strictSame(read, [1, 2, 3]);
  t.equal(cache.pageCount(), 3);
  await clock.advance(1);
  await cache.get(context);
  t.strictSame(read, [1, 2, 3, 1, 2, 3]);
});

await t.test('after a temporary failure the pages that are missing are read, for 2 minutes', async (t) => {
  const { cache, read, fail } = startSource();
  const clock = createFakeClock(0);
  const context: Context = { ...unusedContext, clock };
  fail(3, unavailable);
  await t.rejects(cache.get(context), unavailable);
  await clock.advance(119_999);
  t.equal(await cache.get(context), '1,2,3');
  t.strictSame(read, [1, 2, 3, 3]);
  await clock.advance(3_000);
  fail(2, unavailable);
  await t.rejects(cache.get(context), unavailable);
  await clock.advance(120_000);
  await cache.get(context);
  t.strictSame(read.slice(4), [1, 2, 1, 2, 3]);
});

await t.test('after any other failure it begins again', async (t) => {
  const { cache, read, fail } = startSource();
  fail(2, new Failure('denied', 'x', { remedy: 'y' }));
  await t.rejects(cache.get(unusedContext), { name: 'Failure', kind: 'denied' });
  t.equal(await cache.get(unusedContext), '1,2,3');
  t.strictSame(read, [1, 2, 1, 2, 3]);
});
