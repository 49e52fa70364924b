import { createHash } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import type { Logins } from '../../lib/registry-login/log-in.ts';
import type { Identity, Login } from '../../clouds/index.ts';
import type { ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { Config } from '../../schemas/config.ts';
import type { LoginCache } from './logins/login-cache.ts';
import type { CachedLogin, LoginJob } from './logins/login-job.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { readTokenExpiry } from './tokens/read-claims.ts';
import { verifyToken } from './tokens/verify-token.ts';

export interface CachedLoginsDeps {
  readonly loginCache: LoginCache;
  readonly clock: Clock;
  /** Absent: tokens are not verified, and each token has only the logins that it earned itself. */
  readonly clusterKeys?: ClusterKeys;
}

/** A cache in front of `source`. A login is used again only for the very same registry and identity. */
export function createCachedLogins(source: Logins, deps: CachedLoginsDeps): Logins {
  return {
    get: async (resolved, identity, config) => {
      const run = async (): Promise<Login> => source.get(resolved, identity, config);
      const request: LoginRequest = { resolved, config, run };
      if (identity.kind === 'token') return podLogin(request, identity, deps);
      const key = loginKey(request, ['node', sortedEntries(resolved.node)]);
      return (await deps.loginCache.get(createJob(request, { key, identity: 'node' }))).login;
    },
  };
}

interface LoginRequest {
  readonly resolved: ResolvedRegistry;
  readonly config: Config;
  run(): Promise<Login>;
}

type TokenIdentity = Extract<Identity, { readonly kind: 'token' }>;

/**
 * The claims of a pod's token count only with the cluster's signature; then all tokens of the same service account,
 * audience and annotations share a login. Any other token has only the login that it earned itself, and an expired one
 * has none.
 */
async function podLogin(
  request: LoginRequest,
  { token, role }: TokenIdentity,
  { loginCache, clock, clusterKeys }: CachedLoginsDeps,
): Promise<Login> {
  const value = token.reveal();
  const tokenEndsAtMs = readTokenExpiry(value);
  if (tokenEndsAtMs === undefined || tokenEndsAtMs <= clock.wallMs()) return request.run();
  const keyFor = (identityParts: readonly unknown[]): string =>
    loginKey(request, ['pod', sortedEntries(role), ...identityParts]);
  const tokenKey = keyFor(['token', value]);
  const jobFor = (key: string): LoginJob => createJob(request, { key, identity: 'pod', tokenKey, tokenEndsAtMs });
  const tokenJob = jobFor(tokenKey);
  const owner = clusterKeys && (await verifyToken(value, clusterKeys, clock.wallMs()));
  if (owner === undefined) return (await loginCache.get(tokenJob)).login;
  const sharedJob = jobFor(keyFor(['owner', sortedEntries({ ...owner, audiences: owner.audiences.toSorted() })]));
  const existing = loginCache.peek(sharedJob.key);
  if (existing !== undefined && isOfOtherToken(existing, sharedJob)) return (await loginCache.get(tokenJob)).login;
  const cached = await loginCache.get(sharedJob);
  return isOfOtherToken(cached, sharedJob) ? (await loginCache.get(tokenJob)).login : cached.login;
}

/** A login that ends with its token is for that token alone: it may end at any time with a pod that we do not know. */
function isOfOtherToken({ login, job }: CachedLogin, { tokenKey }: LoginJob): boolean {
  return login.endsWithToken && job.tokenKey !== tokenKey;
}

function createJob({ resolved, run }: LoginRequest, more: Omit<LoginJob, 'registry' | 'run'>): LoginJob {
  return { ...more, registry: resolved.registry.authKey, run };
}

/**
 * The registry as the cloud knows it, the configuration and the identity. With the configuration in the key, a request
 * that started under the previous one cannot leave its login to later requests. A hash, so that the key contains no
 * token, and of a JSON list, so that different lists never give the same text.
 */
function loginKey({ resolved: { cloud, registry }, config }: LoginRequest, identityParts: readonly unknown[]): string {
  return createHash('sha256')
    .update(JSON.stringify([cloud, sortedEntries(registry), config, identityParts]))
    .digest('base64url');
}

/** The same for the same content in any order. */
function sortedEntries(record: object): readonly (readonly [string, unknown])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
