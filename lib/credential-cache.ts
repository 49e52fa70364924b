import type { Context } from './context.ts';
import { Failure } from './failure.ts';
import { untilAborted } from './kubernetes/until-aborted.ts';

/** Credentials for many requests over a long time. */
export interface CredentialCache<T> {
  get(context: Context): Promise<T>;
  /** They were refused: the next request loads them again. */
  invalidate(): void;
}

/** By this node's clock. Absent: it is not known. */
interface Expiring {
  readonly expiresAtMs?: number;
}

interface CachedCredentials<T> {
  readonly credentials: T;
  readonly renewAtMs: number;
}

/** Renewed this long before they expire, so that they stay valid during a request. Short ones at half their life. */
const renewAheadMs = 5 * 60_000;
/** After an attempt that failed while they are still valid. */
const retryAfterMs = 20_000;
/** Keys without an expiry can be replaced in their file at any time. */
const maxCacheMs = 10 * 60_000;

export function createCredentialCache<T extends Expiring>(load: (context: Context) => Promise<T>): CredentialCache<T> {
  let cached: CachedCredentials<T> | undefined;
  let loading: Promise<T> | undefined;

  async function renew(context: Context): Promise<T> {
    try {
      const credentials = await load(context);
      const wallMs = context.clock.wallMs();
      const lifeMs = credentials.expiresAtMs === undefined ? maxCacheMs : credentials.expiresAtMs - wallMs;
      cached = { credentials, renewAtMs: wallMs + Math.max(lifeMs - renewAheadMs, lifeMs / 2) };
      return credentials;
    } catch (error) {
      if (cached === undefined || hasEnded(cached.credentials, context)) throw error;
      // Each request until they end would wait for another attempt.
      cached = { ...cached, renewAtMs: context.clock.wallMs() + retryAfterMs };
      return cached.credentials;
    } finally {
      loading = undefined;
    }
  }

  const cache: CredentialCache<T> = {
    get: async (context) => {
      if (cached !== undefined && isFresh(cached, context)) return cached.credentials;
      if (loading === undefined) {
        loading = renew(context);
        return loading;
      }
      try {
        return await untilAborted(loading, context.signal);
      } catch (error) {
        // Another caller began it, and its time was over.
        if (error instanceof Failure || context.signal.aborted) throw error;
        return cache.get(context);
      }
    },
    invalidate: () => {
      cached = undefined;
    },
  };
  return cache;
}

function isFresh({ credentials, renewAtMs }: CachedCredentials<Expiring>, context: Context): boolean {
  return context.clock.wallMs() < renewAtMs && !hasEnded(credentials, context);
}

function hasEnded({ expiresAtMs }: Expiring, { clock }: Context): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= clock.wallMs();
}
