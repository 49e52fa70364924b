import type { Context } from '../cloud.ts';
import type { Credentials } from './credentials.ts';

/** Credentials for whoever asks again and again. */
export interface KeptCredentials {
  get(context: Context): Promise<Credentials>;
  /** They were refused: whoever gave them is asked anew next time. */
  drop(): void;
}

interface Kept {
  readonly credentials: Credentials;
  readonly renewAtMs: number;
}

/** Before they end, so that a request under way does not outlive them. */
const renewAheadMs = 5 * 60_000;
/** Keys without an end can be replaced in their file at any time. */
const longestKeepMs = 10 * 60_000;

export function keepCredentials(load: (context: Context) => Promise<Credentials>): KeptCredentials {
  let kept: Kept | undefined;
  let loading: Promise<Credentials> | undefined;

  async function renew(context: Context): Promise<Credentials> {
    try {
      const credentials = await load(context);
      const wallMs = context.clock.wallMs();
      kept = { credentials, renewAtMs: (credentials.expiresAtMs ?? wallMs + longestKeepMs) - renewAheadMs };
      return credentials;
    } catch (error) {
      if (kept === undefined || hasEnded(kept.credentials, context)) throw error;
      return kept.credentials;
    } finally {
      loading = undefined;
    }
  }

  return {
    get: async (context) => {
      if (kept !== undefined && context.clock.wallMs() < kept.renewAtMs) return kept.credentials;
      loading ??= renew(context);
      return loading;
    },
    drop: () => {
      kept = undefined;
    },
  };
}

function hasEnded({ expiresAtMs }: Credentials, { clock }: Context): boolean {
  return expiresAtMs !== undefined && expiresAtMs <= clock.wallMs();
}
