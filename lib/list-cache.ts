import type { Context } from './context.ts';
import { Failure } from './failure.ts';

/** Lists for the look-ups of one sweep, which come shortly after one another. */
export interface ListCache<List> {
  get(context: Context): Promise<List>;
  /** How many requests a list takes, by the last one. */
  pageCount(): number;
}

export interface PagedListSource<Page, List> {
  /** Adds the pages that are missing. */
  readRest(pages: Page[], context: Context): Promise<void>;
  join(pages: readonly Page[]): List;
}

/** Shorter than the period of look-ups, so that none shows an old list twice. */
const maxAgeMs = 3_000;
/** From its beginning. Enough for some 50,000 instances. */
const resumedMs = 2 * 60_000;

/** The pages so far. If a look-up has no time for all of them, the next one reads the rest. */
interface PartialList<Page> {
  readonly begunAtMs: number;
  readonly pages: Page[];
}

export function createListCache<Page, List>({ readRest, join }: PagedListSource<Page, List>): ListCache<List> {
  let latest: { readonly list: List; readonly pageCount: number; readonly readAtMs: number } | undefined;
  let partial: PartialList<Page> | undefined;
  let pending: Promise<List> | undefined;

  async function load(context: Context): Promise<List> {
    const nowMs = context.clock.monotonicMs();
    const reading = partial && isFresh(partial, nowMs) ? partial : { begunAtMs: nowMs, pages: [] };
    partial = undefined;
    try {
      await readRest(reading.pages, context);
      const list = join(reading.pages);
      latest = { list, pageCount: reading.pages.length, readAtMs: context.clock.monotonicMs() };
      return list;
    } catch (error) {
      if (isTemporary(error)) partial = reading;
      throw error;
    } finally {
      pending = undefined;
    }
  }

  return {
    get: async (context) => {
      if (latest !== undefined && context.clock.monotonicMs() - latest.readAtMs < maxAgeMs) return latest.list;
      pending ??= load(context);
      return pending;
    },
    pageCount: () => latest?.pageCount ?? 1,
  };
}

function isFresh({ begunAtMs }: PartialList<unknown>, nowMs: number): boolean {
  return nowMs - begunAtMs < resumedMs;
}

function isTemporary(error: unknown): boolean {
  return error instanceof Failure && (error.kind === 'unavailable' || error.kind === 'throttled');
}
