import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Secret } from '../../secret.ts';
import { createResultCache } from '../result-cache.ts';
import type { Reviews, AccessQuery } from './reviews.ts';
import { anonymous } from './user.ts';
import type { User } from './user.ts';

/** The credentials of a request. */
export interface RequestCredentials {
  /** From a valid certificate of the cluster's authority. */
  readonly certificateUser: User | undefined;
  readonly token: Secret | undefined;
}

export type AccessDecision =
  | { readonly is: 'allowed' }
  | { readonly is: 'unauthorized' }
  | { readonly is: 'forbidden'; readonly user: User }
  /** The API server did not respond. */
  | { readonly is: 'unknown'; readonly error: unknown };

export type RequestAccess = (
  credentials: RequestCredentials,
  query: AccessQuery,
  signal: AbortSignal,
) => Promise<AccessDecision>;

const maxCacheEntries = 1_000;
const allowedGroup = 'system:masters';

/**
 * Delegates decisions to the API server and caches them for `keptMs`: at least for the requests of one scrape, and not so
 * long that a removed permission stays. Tokens and users are kept only as a hash.
 */
export function delegatedAccess(reviews: Reviews, keptMs: number, clock: Clock): RequestAccess {
  const bounds = { keptMs, maxEntries: maxCacheEntries };
  const users = createResultCache<User | undefined>(bounds, clock);
  const permissions = createResultCache<boolean>(bounds, clock);
  const userOf = async (
    { certificateUser, token }: RequestCredentials,
    signal: AbortSignal,
  ): Promise<User | undefined> => {
    if (certificateUser !== undefined) return certificateUser;
    return token === undefined ? anonymous : users.get(hash(token.reveal()), () => reviews.authenticate(token, signal));
  };
  return async (credentials, query, signal) => {
    try {
      const user = await userOf(credentials, signal);
      if (user === undefined) return { is: 'unauthorized' };
      if (user.groups.includes(allowedGroup)) return { is: 'allowed' };
      const key = hash(JSON.stringify([user, query.verb, query.path]));
      const isAllowed = await permissions.get(key, () => reviews.authorize(user, query, signal));
      return isAllowed ? { is: 'allowed' } : { is: 'forbidden', user };
    } catch (error) {
      return { is: 'unknown', error };
    }
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
