import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Secret } from '../../secret.ts';
import { createResultCache } from '../result-cache.ts';
import type { Reviews, AccessQuery } from './reviews.ts';
import { anonymous } from './user.ts';
import type { User } from './user.ts';

/** What somebody shows of themselves. */
export interface RequestCredentials {
  /** From a certificate that the cluster's authority has signed and that is in its time. */
  readonly certificateUser: User | undefined;
  readonly token: Secret | undefined;
}

export type AccessDecision =
  | { readonly is: 'allowed' }
  | { readonly is: 'unauthorized' }
  | { readonly is: 'forbidden'; readonly user: User }
  /** The API server could not be asked. */
  | { readonly is: 'unknown'; readonly error: unknown };

export type RequestAccess = (
  credentials: RequestCredentials,
  query: AccessQuery,
  signal: AbortSignal,
) => Promise<AccessDecision>;

const maxCacheEntries = 1_000;
const allowedGroup = 'system:masters';

/**
 * Delegated to the API server, whose answers are kept for so long: at least for one scrape's requests, not so long that a
 * right that was taken away lives on. Neither tokens nor users are remembered but as a hash.
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
