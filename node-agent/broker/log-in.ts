import type { Clock } from '../../lib/clock.ts';
import type { Found } from '../../lib/image-login/find-registry.ts';
import type { Identity, Login } from '../../lib/image-login/registry.ts';
import type { Secret } from '../../lib/secret.ts';
import type { Config } from '../../schemas/config.ts';
import type { Errand, Kept } from './logins/errand.ts';
import type { Logins } from './logins/keep-logins.ts';
import { loginKey, sorted } from './logins/login-key.ts';
import type { ClusterKeys } from './tokens/cluster-keys.ts';
import { readEnd } from './tokens/read-claims.ts';
import { verifyToken } from './tokens/verify-token.ts';

export interface Desk {
  readonly logins: Logins;
  readonly clock: Clock;
  /** Absent: tokens are not checked here, and each counts only for itself. */
  readonly clusterKeys?: ClusterKeys;
}

export interface Wish {
  readonly found: Found;
  readonly as: Identity;
  /** Under which it was found. */
  readonly config: Config;
  /** Asks the cloud. */
  run(): Promise<Login>;
}

/** The login for a wish: one that is there for the very same identity, or the cloud's. */
export async function logInBy(wish: Wish, desk: Desk): Promise<Login> {
  const { found, as } = wish;
  if (as.kind === 'token') return podLogin(wish, as.token, as.role, desk);
  const key = loginKey(wish, ['node', sorted(found.node)]);
  return (await desk.logins.get(errandOf(wish, { key, identity: 'node' }))).login;
}

/**
 * What a pod's token says counts only when the cluster's signature is on it; then all tokens of the same service account,
 * audience and annotations share a login. Any other token has only the login that itself has earned, and one that has
 * ended has none.
 */
async function podLogin(
  wish: Wish,
  token: Secret,
  role: Readonly<Record<string, string>>,
  { logins, clock, clusterKeys }: Desk,
): Promise<Login> {
  const value = token.reveal();
  const tokenEndsAtMs = readEnd(value);
  if (tokenEndsAtMs === undefined || tokenEndsAtMs <= clock.wallMs()) return wish.run();
  const keyFor = (asker: readonly unknown[]): string => loginKey(wish, ['pod', sorted(role), ...asker]);
  const ownKey = keyFor(['token', value]);
  const errandFor = (key: string): Errand => errandOf(wish, { key, identity: 'pod', ownKey, tokenEndsAtMs });
  const own = errandFor(ownKey);
  const owner = clusterKeys && (await verifyToken(value, clusterKeys, clock.wallMs()));
  if (owner === undefined) return (await logins.get(own)).login;
  const shared = errandFor(keyFor(['owner', sorted({ ...owner, audiences: owner.audiences.toSorted() })]));
  const there = logins.peek(shared.key);
  if (there !== undefined && isOfAnother(there, shared)) return (await logins.get(own)).login;
  const kept = await logins.get(shared);
  return isOfAnother(kept, shared) ? (await logins.get(own)).login : kept.login;
}

/** A login that ends with its token ends with a pod that we know nothing of: it is for that token alone. */
function isOfAnother({ login, errand }: Kept, { ownKey }: Errand): boolean {
  return login.endsWithToken && errand.ownKey !== ownKey;
}

function errandOf({ found, run }: Wish, more: Omit<Errand, 'registry' | 'run'>): Errand {
  return { ...more, registry: found.registry.authKey, run };
}
