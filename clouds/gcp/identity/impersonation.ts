import { toNodeTime } from '../../../lib/http/clock-skew.ts';
import { Secret } from '../../../lib/secret.ts';
import type { IdentityToken } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import { toAccessToken, unusableResponse } from './access-token.ts';
import type { AccessToken } from './access-token.ts';
import { askGoogle } from '../ask.ts';
import type { GcpResponse, GcpRequest } from '../ask.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { serviceAccountUrl } from '../endpoints.ts';
import { GeneratedAccessToken, GeneratedIdToken } from '../schemas.ts';
import { identityTokenOf } from './signed-token.ts';

export interface Impersonation {
  /** The service account to impersonate. */
  readonly email: string;
  /** Each may impersonate the next, and the last one `email`. Empty: `base` may impersonate `email` directly. */
  readonly delegates: readonly string[];
  readonly base: AccessToken;
}

const lifetime = '3600s';

/** An access token of another service account, whatever the source of the base token is. */
export async function impersonate(
  { email, delegates, base }: Impersonation,
  config: GcpConfig,
  context: Context,
): Promise<AccessToken> {
  const url = serviceAccountUrl(email, 'generateAccessToken', config);
  const body = {
    scope: config.scopes,
    lifetime,
    ...(delegates.length > 0 && { delegates: delegates.map(resourceOf) }),
  };
  const request = requestFor(url, { email, delegates, base }, 'getAccessToken', body);
  const response = await askGoogle(request, context);
  const parsed = GeneratedAccessToken.safeParse(response.json);
  const { accessToken: token = '', expireTime } = parsed.data ?? {};
  const found = toAccessToken(token, expiryOf(expireTime, response), `${email} by ${base.source}`);
  if (found === undefined) throw unusableResponse(url.host);
  return found;
}

/** A signed token that identifies the service account. */
export async function impersonatedIdentityToken(
  { email, delegates, base }: Impersonation,
  audience: string,
  config: GcpConfig,
  context: Context,
): Promise<IdentityToken> {
  const url = serviceAccountUrl(email, 'generateIdToken', config);
  const body = { audience, includeEmail: true, ...(delegates.length > 0 && { delegates: delegates.map(resourceOf) }) };
  const request = requestFor(url, { email, delegates, base }, 'getOpenIdToken', body);
  const { json } = await askGoogle(request, context);
  const parsed = GeneratedIdToken.safeParse(json);
  return identityTokenOf(new Secret(parsed.success ? parsed.data.token : ''), url.host);
}

function requestFor(url: URL, { email, base }: Impersonation, permission: string, body: object): GcpRequest {
  const action = `iam.serviceAccounts.${permission}`;
  return {
    url,
    target: url.host,
    action: `${action} on ${email}`,
    as: base.source,
    remedyWhenDenied: `grant roles/iam.serviceAccountTokenCreator (or, to a pod or a federated token, roles/iam.workloadIdentityUser) on ${email} to it`,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${base.token.reveal()}` },
    body: JSON.stringify(body),
  };
}

function resourceOf(email: string): string {
  return `projects/-/serviceAccounts/${email}`;
}

function expiryOf(expireTime: string | undefined, { skewMs }: GcpResponse): number | undefined {
  const expiresAtMs = Date.parse(expireTime ?? '');
  return Number.isNaN(expiresAtMs) ? undefined : toNodeTime(expiresAtMs, skewMs);
}
