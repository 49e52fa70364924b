import type { KubernetesClient } from '../../kubernetes/client.ts';
import { subjectAccessReviews, tokenReviews } from '../../kubernetes/resources.ts';
import type { Secret } from '../../secret.ts';
import type { User } from './user.ts';

/** The API server's reviews of tokens and permissions. Both throw when it does not respond. */
export interface Reviews {
  /** `undefined`: the token is unknown or has expired. */
  authenticate(token: Secret, signal: AbortSignal): Promise<User | undefined>;
  authorize(user: User, query: AccessQuery, signal: AbortSignal): Promise<boolean>;
}

export interface AccessQuery {
  /** `get`, `head`. */
  readonly verb: string;
  readonly path: string;
}

/** Authentication and authorization can use different API servers, as with upstream's flags. */
export function kubernetesReviews(
  authentication: Pick<KubernetesClient, 'create'>,
  authorization: Pick<KubernetesClient, 'create'>,
): Reviews {
  return {
    authenticate: async (token, signal) => {
      const { status } = await authentication.create(tokenReviews, { spec: { token: token.reveal() } }, signal);
      const { username, uid, groups, extra } = status?.user ?? {};
      if (status?.authenticated !== true || username === undefined || username === '') return undefined;
      return {
        username,
        groups: groups ?? [],
        ...(uid !== undefined && { uid }),
        ...(extra !== undefined && { extra }),
      };
    },
    authorize: async ({ username, ...rest }, nonResourceAttributes, signal) => {
      const spec = { user: username, ...rest, nonResourceAttributes };
      const { status } = await authorization.create(subjectAccessReviews, { spec }, signal);
      return status?.allowed === true && status.denied !== true;
    },
  };
}
