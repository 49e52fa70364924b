import { Secret } from '../../lib/secret.ts';
import type { Context, Proof } from '../cloud.ts';
import { accessToken, noToken } from './access-token.ts';
import type { AccessToken } from './access-token.ts';
import { askGoogle } from './ask.ts';
import type { Answer, Question } from './ask.ts';
import type { GcpConfig } from './config.ts';
import { serviceAccountUrl } from './endpoints.ts';
import { GeneratedAccessToken, GeneratedIdToken } from './schemas.ts';
import { proofOf } from './signed-token.ts';

export interface Impersonation {
  /** The service account to become. */
  readonly email: string;
  /** Each may impersonate the next, the last one `email`; empty: `base` may by itself. */
  readonly delegates: readonly string[];
  readonly base: AccessToken;
}

const lifetime = '3600s';

/** Takes on a service account, wherever the token that asks for it came from. */
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
  const question = questionOf(url, { email, delegates, base }, 'getAccessToken', body);
  const answer = await askGoogle(question, context);
  const parsed = GeneratedAccessToken.safeParse(answer.json);
  const { accessToken: token = '', expireTime } = parsed.data ?? {};
  const found = accessToken(token, expiryOf(expireTime, answer), `${email} by ${base.source}`);
  if (found === undefined) throw noToken(url.host);
  return found;
}

/** A signed token that says who the service account is. */
export async function impersonatedProof(
  { email, delegates, base }: Impersonation,
  audience: string,
  config: GcpConfig,
  context: Context,
): Promise<Proof> {
  const url = serviceAccountUrl(email, 'generateIdToken', config);
  const body = { audience, includeEmail: true, ...(delegates.length > 0 && { delegates: delegates.map(resourceOf) }) };
  const question = questionOf(url, { email, delegates, base }, 'getOpenIdToken', body);
  const { json } = await askGoogle(question, context);
  const parsed = GeneratedIdToken.safeParse(json);
  return proofOf(new Secret(parsed.success ? parsed.data.token : ''), url.host);
}

function questionOf(url: URL, { email, base }: Impersonation, permission: string, body: object): Question {
  const action = `iam.serviceAccounts.${permission}`;
  return {
    url,
    whom: url.host,
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

/** Dates on the wire are good to seconds; only a clock that is really wrong shifts the expiry. */
const tolerableSkewMs = 60_000;

function expiryOf(expireTime: string | undefined, { skewMs }: Answer): number | undefined {
  const expiresAtMs = Date.parse(expireTime ?? '');
  if (Number.isNaN(expiresAtMs)) return undefined;
  return Math.abs(skewMs) < tolerableSkewMs ? expiresAtMs : expiresAtMs - skewMs;
}
