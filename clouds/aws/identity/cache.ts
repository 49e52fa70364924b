import type { Context } from '../../../lib/context.ts';
import type { AwsCredentials } from './credentials.ts';

/** Credentials for many requests over a long time. */
export interface CredentialCache {
  get(context: Context): Promise<AwsCredentials>;
  /** They were refused: the next request loads them again. */
  invalidate(): void;
}

interface CachedCredentials {
  readonly credentials: AwsCredentials;
  readonly renewAtMs: number;
}

/** They are renewed this long before they expire, so that they stay valid during a request. */
const renewAheadMs = 5 * 60_000;
/** Keys without an expiry can be replaced in their file at any time. */
const maxCacheMs = 10 * 60_000;

export function createCredentialCache(load: (context: Context) => Promise<AwsCredentials>): CredentialCache {
  let cached: CachedCredentials | undefined;
  let loading: Promise<AwsCredentials> | undefined;

  async function renew(context: Context): Promise<AwsCredentials> {
    try {
      const credentials = await load(context);
      const wallMs = context.clock.wallMs();
      cached = { credentials, renewAtMs: (credentials.expiresAtMs ?? wallMs + maxCacheMs) - renewAheadMs };
      return credentials;
    } catch (error) {
      if (cached === undefined || hasEnded(cached.credentials, context)) throw error;
      return cached.credentials;
    } finally {
      loading = undefined;
    }
  }

  return {
    get: async (context) => {
      if (cached !== undefined && context.clock.wallMs() < cached.renewAtMs) return cached.credentials;
      loading ??= renew(context);
      return loading;
    },
    invalidate: () => {
      cached = undefined;
    },
  };
}

function hasEnded({ expiresAtMs }: AwsCredentials, { clock }: Context): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= clock.wallMs();
}
