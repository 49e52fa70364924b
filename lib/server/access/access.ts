import { createHash } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Secret } from '../../secret.ts';
import { createAnswerCache } from '../answer-cache.ts';
import type { Reviews, Wish } from './reviews.ts';
import { anonymous } from './user.ts';
import type { User } from './user.ts';

/** What somebody shows of themselves. */
export interface Credentials {
  /** From a certificate that the cluster's authority has signed and that is in its time. */
  readonly certificateUser: User | undefined;
  readonly token: Secret | undefined;
}

export type Verdict =
  | { readonly is: 'allowed' }
  | { readonly is: 'unauthorized' }
  | { readonly is: 'forbidden'; readonly user: User }
  /** The API server could not be asked. */
  | { readonly is: 'unknown'; readonly error: unknown };

export type Access = (credentials: Credentials, wish: Wish, signal: AbortSignal) => Promise<Verdict>;

const answersAtMost = 1_000;
const allowedGroup = 'system:masters';

/**
 * Delegated to the API server, whose answers are kept for so long: at least for one scrape's requests, not so long that a
 * right that was taken away lives on. Neither tokens nor users are remembered but as a hash.
 */
export function delegatedAccess(reviews: Reviews, keptMs: number, clock: Clock): Access {
  const bounds = { keptMs, atMost: answersAtMost };
  const users = createAnswerCache<User | undefined>(bounds, clock);
  const rights = createAnswerCache<boolean>(bounds, clock);
  const userOf = async ({ certificateUser, token }: Credentials, signal: AbortSignal): Promise<User | undefined> => {
    if (certificateUser !== undefined) return certificateUser;
    return token === undefined ? anonymous : users.get(hash(token.reveal()), () => reviews.whose(token, signal));
  };
  return async (credentials, wish, signal) => {
    try {
      const user = await userOf(credentials, signal);
      if (user === undefined) return { is: 'unauthorized' };
      if (user.groups.includes(allowedGroup)) return { is: 'allowed' };
      const key = hash(JSON.stringify([user, wish.verb, wish.path]));
      const isAllowed = await rights.get(key, () => reviews.allows(user, wish, signal));
      return isAllowed ? { is: 'allowed' } : { is: 'forbidden', user };
    } catch (error) {
      return { is: 'unknown', error };
    }
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
