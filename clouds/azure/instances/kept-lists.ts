import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { PagedResourceManager } from './resource-manager.ts';

/** Lists that belong together, and what is made of them. */
export interface ListSource<T> {
  readonly key: string;
  open(manager: PagedResourceManager): ListReader<T>;
}

/** Throws a `Failure` if a page cannot be read: the next call goes on where this one stopped. */
export type ListReader<T> = (context: Context) => Promise<T>;

/** The batches of one sweep share them, and the next look-up finishes what took too long. */
export interface KeptLists<T> {
  read(source: ListSource<T>, context: Context): Promise<T>;
}

export interface ListAges {
  /** How long they are kept, from their end. */
  readonly keptMs: number;
  /** How long they are continued, from their beginning. */
  readonly resumedMs: number;
}

interface Kept<T> {
  readonly begunAtMs: number;
  readonly readRest: ListReader<T>;
  /** While they are being read, and afterwards. */
  result?: Promise<T> | undefined;
  readAtMs?: number;
}

export function createKeptLists<T>(manager: PagedResourceManager, ages: ListAges): KeptLists<T> {
  const kept = new Map<string, Kept<T>>();

  return {
    read: (source, context) => {
      const nowMs = context.clock.monotonicMs();
      // A list of thousands of machines takes megabytes, and its scale set may be gone.
      for (const [key, lists] of kept) if (!isUsable(lists, ages, nowMs)) kept.delete(key);
      const found = kept.get(source.key);
      const lists: Kept<T> = found ?? { begunAtMs: nowMs, readRest: source.open(manager) };
      kept.set(source.key, lists);
      // The next batch goes on or begins anew. Those that wait for this one get its failure.
      lists.result ??= readRest(lists, context).catch((error: unknown) => {
        if (isOutOfTime(error, context)) lists.result = undefined;
        else if (kept.get(source.key) === lists) kept.delete(source.key);
        throw error;
      });
      return lists.result;
    },
  };
}

function isUsable({ begunAtMs, readAtMs }: Kept<unknown>, { keptMs, resumedMs }: ListAges, nowMs: number): boolean {
  return readAtMs === undefined ? nowMs - begunAtMs < resumedMs : nowMs - readAtMs < keptMs;
}

async function readRest<T>(lists: Kept<T>, context: Context): Promise<T> {
  const result = await lists.readRest(context);
  lists.readAtMs = context.clock.monotonicMs();
  return result;
}

/** By the rate limit, ours or Azure's. */
export function isOutOfTime(error: unknown, { signal }: Context): boolean {
  return signal.aborted || (error instanceof Failure && error.kind === 'throttled');
}
