import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import type { KubernetesClient } from '../../../lib/kubernetes/client.ts';
import { parseDiscovery, parseKeys } from './parse-keys.ts';

/** Who signs the tokens of the cluster's service accounts. */
export interface TokenIssuer {
  readonly name: string;
  readonly keys: ReadonlyMap<string, KeyObject>;
}

export interface ClusterKeys {
  /** The issuer, with this key of it if there is such a one. `undefined`: could not find out. Never throws. */
  issuerOf(keyId: string): Promise<TokenIssuer | undefined>;
}

export interface ClusterKeysSettings {
  readonly client: Pick<KubernetesClient, 'read'>;
  readonly clock: Clock;
}

/** A request waits for it, and can do without. */
const longestReadMs = 2_000;
const freshMs = 10 * 60_000;
/** A key that the cluster gave up must not count for ever because nobody can be asked. */
const longestUseMs = 60 * 60_000;
/** Between two tries while the API server is down. */
const pauseMs = 10_000;
/** Whoever shows tokens with made-up key ids must not make us ask each time: so many at once, then one for each pause. */
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
      // Then the last ones count for a while, and without any a token counts only for itself.
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
