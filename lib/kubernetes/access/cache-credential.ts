import type { Clock } from '../../clock.ts';
import type { ExecCredential } from './exec-credential.ts';

export interface CachedCredential {
  /** The last one until it expires. Concurrent callers share the request for a new one. */
  current(): Promise<ExecCredential>;
  invalidate(): void;
}

/** Early enough that no credential expires while its request is under way. */
const renewBeforeExpiryMs = 10_000;

export function cacheCredential(run: () => Promise<ExecCredential>, clock: Clock): CachedCredential {
  let running: Promise<ExecCredential> | undefined;
  let cached: ExecCredential | undefined;
  const renew = async (): Promise<ExecCredential> => {
    try {
      cached = await run();
      return cached;
    } finally {
      running = undefined;
    }
  };
  return {
    current: async () => {
      if (cached !== undefined && isFresh(cached, clock)) return cached;
      running ??= renew();
      return running;
    },
    invalidate: () => {
      cached = undefined;
    },
  };
}

function isFresh({ expiresAtMs }: ExecCredential, clock: Clock): boolean {
  return expiresAtMs === undefined || clock.wallMs() < expiresAtMs - renewBeforeExpiryMs;
}
