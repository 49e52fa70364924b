import type { Context } from '../../../lib/context.ts';
import type { AwsCredentials } from './credentials.ts';

/** Credentials for whoever asks again and again. */
export interface CredentialCache {
  get(context: Context): Promise<AwsCredentials>;
  /** They were refused: whoever gave them is asked anew next time. */
  invalidate(): void;
}

interface CachedCredentials {
  readonly credentials: AwsCredentials;
  readonly renewAtMs: number;
}

/** Before they end, so that a request under way does not outlive them. */
const renewAheadMs = 5 * 60_000;
/** Keys without an end can be replaced in their file at any time. */
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
