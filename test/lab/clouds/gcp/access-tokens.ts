import type { Moment } from '../cloud.ts';
import { markedSecret } from '../secrets.ts';
import type { GcpState, IssuedToken } from './state.ts';

export interface AccessTokenRequest {
  readonly member: string;
  readonly scopes: readonly string[];
  readonly lifeS: number;
}

export interface AccessTokenResult {
  readonly token: string;
  readonly expiresAtMs: number;
  /** As answers say it, or not at all. */
  readonly expiresIn: { readonly expires_in?: number };
}

const passedS = 60;

/** A new access token, known from now on. */
export function issueAccessToken(
  { member, scopes, lifeS }: AccessTokenRequest,
  state: GcpState,
  { nowMs, expiry }: Moment,
): AccessTokenResult {
  const token = markedSecret('ya29.c.', 300);
  const expiresInS = expiry === 'passed' ? -passedS : lifeS;
  const expiresAtMs = nowMs + expiresInS * 1000;
  state.accessTokens[token] = { member, scopes, expiresAtMs };
  return { token, expiresAtMs, expiresIn: expiry === 'absent' ? {} : { expires_in: expiresInS } };
}

/** Whose a token is, as long as it is good. */
export function holderOf(token: string, state: GcpState, nowMs: number): IssuedToken | undefined {
  const issued = Object.hasOwn(state.accessTokens, token) ? state.accessTokens[token] : undefined;
  return issued !== undefined && issued.expiresAtMs > nowMs ? issued : undefined;
}

export function permissionsOf(member: string, state: GcpState): readonly string[] {
  const [kind = '', ...rest] = member.split(':');
  const name = rest.join(':');
  if (kind === 'serviceAccount') return state.serviceAccounts[name]?.permissions ?? [];
  if (kind === 'user') return Object.values(state.users).find(({ email }) => email === name)?.permissions ?? [];
  return state.principals[member]?.permissions ?? [];
}
