import type { Clock } from '../../lib/clock.ts';
import type { ResolvedRegistry } from '../../lib/registry-login/resolve-registry.ts';
import type { Identity, Login } from '../../lib/registry-login/registry.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Config } from '../../schemas/config.ts';
import type { LoginJob, CachedLogin } from './logins/login-job.ts';
import type { LoginCache } from './logins/login-cache.ts';
import { loginKey, sortedEntries } from './logins/login-key.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { readTokenExpiry } from './tokens/read-claims.ts';
import { verifyToken } from './tokens/verify-token.ts';

export interface LoginDeps {
  readonly logins: LoginCache;
  readonly clock: Clock;
  /** Absent: tokens are not checked here, and each counts only for itself. */
  readonly clusterKeys?: ClusterKeys;
}

export interface LoginRequest {
  readonly resolved: ResolvedRegistry;
  readonly identity: Identity;
  /** Under which it was found. */
  readonly config: Config;
  /** Asks the cloud. */
  run(): Promise<Login>;
}

/** The login for a wish: one that is there for the very same identity, or the cloud's. */
export async function cachedLogin(request: LoginRequest, deps: LoginDeps): Promise<Login> {
  const { resolved, identity } = request;
  if (identity.kind === 'token') return podLogin(request, identity.token, identity.role, deps);
  const key = loginKey(request, ['node', sortedEntries(resolved.node)]);
  return (await deps.logins.get(createJob(request, { key, identity: 'node' }))).login;
}

/**
 * What a pod's token says counts only when the cluster's signature is on it; then all tokens of the same service account,
 * audience and annotations share a login. Any other token has only the login that itself has earned, and one that has
 * ended has none.
 */
async function podLogin(
  request: LoginRequest,
  token: Secret,
  role: Readonly<Record<string, string>>,
  { logins, clock, clusterKeys }: LoginDeps,
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
  if (owner === undefined) return (await logins.get(tokenJob)).login;
  const sharedJob = jobFor(keyFor(['owner', sortedEntries({ ...owner, audiences: owner.audiences.toSorted() })]));
  const existing = logins.peek(sharedJob.key);
  if (existing !== undefined && isOfOtherToken(existing, sharedJob)) return (await logins.get(tokenJob)).login;
  const cached = await logins.get(sharedJob);
  return isOfOtherToken(cached, sharedJob) ? (await logins.get(tokenJob)).login : cached.login;
}

/** A login that ends with its token ends with a pod that we know nothing of: it is for that token alone. */
function isOfOtherToken({ login, job }: CachedLogin, { tokenKey }: LoginJob): boolean {
  return login.endsWithToken && job.tokenKey !== tokenKey;
}

function createJob({ resolved, run }: LoginRequest, more: Omit<LoginJob, 'registry' | 'run'>): LoginJob {
  return { ...more, registry: resolved.registry.authKey, run };
}
