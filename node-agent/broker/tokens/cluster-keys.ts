import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { parseDiscovery, parseKeys } from './parse-keys.ts';

/** The issuer of the cluster's service account tokens. */
export interface TokenIssuer {
  readonly name: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export interface ClusterKeys {
  /** The issuer, with this key if it has one. `undefined`: it could not be read. Never throws. */
  issuerOf(keyId: string): Promise<TokenIssuer | undefined>;
}

export interface ClusterKeysSettings {
  readonly client: Pick<KubernetesClient, 'read'>;
  readonly clock: Clock;
}

/** A request waits for it, and can be answered without it. */
const longestReadMs = 2_000;
const freshMs = 10 * 60_000;
/** A withdrawn key must not count for longer while the API server is down. */
const longestUseMs = 60 * 60_000;
/** Between two attempts while the API server is down. */
const pauseMs = 10_000;
/** Limits what tokens with invented key ids can cause: so many reads at once, then one for each pause. */
const readsForUnknownKeys = 3;

interface IssuerRead {
  readonly issuer: TokenIssuer;
  readonly atMs: number;
}

/** Keys are read when they are older than 10 minutes, and at once when a token names a key that is not among them. */
export function clusterKeys({ client, clock }: ClusterKeysSettings): ClusterKeys {
  let last: IssuerRead | undefined;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const mayReadForUnknownKey = createRateLimit(clock);

  const readAnew = async (): Promise<void> => {
    triedAtMs = clock.monotonicMs();
    try {
      last = { issuer: await readIssuer(client), atMs: triedAtMs };
    } catch {
      // The last keys count for a while. Without any key, a token counts only for itself.
    } finally {
      reading = undefined;
    }
  };

  const mustRead = (keyId: string): boolean => {
    const nowMs = clock.monotonicMs();
    if (last === undefined || nowMs - last.atMs >= freshMs) return nowMs - triedAtMs >= pauseMs;
    return !last.issuer.keys.has(keyId) && mayReadForUnknownKey();
  };

  return {
    issuerOf: async (keyId) => {
      if (reading !== undefined || mustRead(keyId)) await (reading ??= readAnew());
      return last !== undefined && clock.monotonicMs() - last.atMs < longestUseMs ? last.issuer : undefined;
    },
  };
}

/** A token bucket. */
function createRateLimit(clock: Clock): () => boolean {
  let left = readsForUnknownKeys;
  let filledAtMs = clock.monotonicMs();
  return () => {
    const added = Math.floor((clock.monotonicMs() - filledAtMs) / pauseMs);
    left = Math.min(readsForUnknownKeys, left + added);
    filledAtMs += added * pauseMs;
    if (left === 0) return false;
    left -= 1;
    return true;
  };
}

async function readIssuer(client: Pick<KubernetesClient, 'read'>): Promise<TokenIssuer> {
  const signal = AbortSignal.timeout(longestReadMs);
  const read = (path: string): Promise<string> =>
    client.read("read the issuer of the service accounts' tokens", path, signal);
  const [discovery, keys] = await Promise.all([read('/.well-known/openid-configuration'), read('/openid/v1/jwks')]);
  return { name: parseDiscovery(discovery), keys: parseKeys(keys) };
}
