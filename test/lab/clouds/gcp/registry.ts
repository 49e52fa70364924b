import { holderOf, permissionsOf } from './access-tokens.ts';
import type { GcpState } from './state.ts';
import { cloudPlatform, pull } from './state.ts';

/** What the registry is shown. */
export interface PresentedLogin {
  readonly username: string;
  readonly password: string;
}

const usernames = ['oauth2accesstoken', '_token', '_dcgcloud_token'];
const readingScopes = [
  cloudPlatform,
  'https://www.googleapis.com/auth/cloud-platform.read-only',
  'https://www.googleapis.com/auth/devstorage.read_only',
];

/** May this login pull, as Artifact Registry would have it? Nothing but a token that was issued here is good. */
export function mayPull({ username, password }: PresentedLogin, state: GcpState, nowMs: number): boolean {
  const holder = usernames.includes(username) ? holderOf(password, state, nowMs) : undefined;
  if (holder === undefined || !holder.scopes.some((scope) => readingScopes.includes(scope))) return false;
  return permissionsOf(holder.member, state).includes(pull);
}
