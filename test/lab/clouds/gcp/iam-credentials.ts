import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { holderOf, issueAccessToken } from './access-tokens.ts';
import { signIdentityToken } from './identity-token.ts';
import { apiError, json, wrongHostResponse } from './errors.ts';
import type { GcpState } from './state.ts';
import { cloudPlatform } from './state.ts';

/** https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts */
export const iamCredentials: LabService<GcpState> = {
  throttled: apiError(429, 'RESOURCE_EXHAUSTED', 'Quota exceeded for quota metric'),
  respond: (request, state, moment) => {
    const wrongHost = wrongHostResponse(request.host, 'iamcredentials');
    if (wrongHost) return wrongHost;
    const match = path.exec(decodeURIComponent(request.path))?.groups;
    if (request.method !== 'POST' || match === undefined) return { status: 404, headers: {}, body: '' };
    return grant(match['email'] ?? '', match['method'] ?? '', { request, state, moment });
  },
};

const path = /^\/v1\/projects\/-\/serviceAccounts\/(?<email>[^/:]+):(?<method>generateAccessToken|generateIdToken)$/;

interface Call {
  readonly request: LabRequest;
  readonly state: GcpState;
  readonly moment: Moment;
}

interface Input {
  readonly scope?: readonly string[];
  readonly lifetime?: string;
  readonly audience?: string;
  readonly delegates?: readonly string[];
}

const sufficient = [cloudPlatform, 'https://www.googleapis.com/auth/iam'];

type Method = (email: string, input: Input, call: Call) => LabResponse;

const methods: Readonly<Record<string, { readonly permission: string; readonly answer: Method }>> = {
  generateAccessToken: { permission: 'iam.serviceAccounts.getAccessToken', answer: accessToken },
  generateIdToken: { permission: 'iam.serviceAccounts.getOpenIdToken', answer: idToken },
};

function grant(email: string, name: string, call: Call): LabResponse {
  const { request, state, moment } = call;
  const bearer = (request.headers['authorization'] ?? '').replace(/^Bearer /, '');
  const holder = holderOf(bearer, state, moment.nowMs);
  if (holder === undefined) return apiError(401, 'UNAUTHENTICATED', unauthenticated);
  if (!holder.scopes.some((scope) => sufficient.includes(scope))) return insufficientScopes;
  const input = inputOf(request.body);
  const method = methods[name];
  if (input === undefined || method === undefined) return invalid;
  const chain = [...(input.delegates ?? []).map((each) => each.replace(/^projects\/-\/serviceAccounts\//, '')), email];
  return checkChain(holder.member, chain, method.permission, state) ?? method.answer(email, input, call);
}

function inputOf(body: string): Input | undefined {
  try {
    return JSON.parse(body) as Input;
  } catch {
    return undefined;
  }
}

/** Each in the chain has to be allowed to become the next one. */
function checkChain(
  member: string,
  chain: readonly string[],
  permission: string,
  { serviceAccounts }: GcpState,
): LabResponse | undefined {
  let holder = member;
  for (const next of chain) {
    const account = serviceAccounts[next];
    if (account === undefined) return apiError(404, 'NOT_FOUND', `Not found; Gaia id not found for email ${next}`);
    if (account.disabled || !account.tokenCreators.includes(holder)) return denied(permission);
    holder = `serviceAccount:${next}`;
  }
  return undefined;
}

function accessToken(email: string, { scope = [], lifetime = '3600s' }: Input, { state, moment }: Call): LabResponse {
  const lifeS = Number(/^(\d{1,4})s$/.exec(lifetime)?.[1] ?? Number.NaN);
  if (scope.length === 0 || !(lifeS > 0 && lifeS <= 3600)) return invalid;
  const issued = issueAccessToken({ member: `serviceAccount:${email}`, scopes: scope, lifeS }, state, moment);
  const expireTime = new Date(issued.expiresAtMs).toISOString().replace(/\.\d+Z$/, 'Z');
  return json(200, { accessToken: issued.token, ...(moment.expiry !== 'absent' && { expireTime }) });
}

function idToken(email: string, { audience = '' }: Input, { state, moment }: Call): LabResponse {
  if (audience === '') return invalid;
  return json(200, { token: signIdentityToken({ email, audience, full: false }, state, moment) });
}

const invalid = apiError(400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.');

const unauthenticated =
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.';

function denied(permission: string): LabResponse {
  const message = `Permission '${permission}' denied on resource (or it may not exist).`;
  const info = { reason: 'IAM_PERMISSION_DENIED', domain: 'iam.googleapis.com', metadata: { permission } };
  return apiError(403, 'PERMISSION_DENIED', message, info);
}

const insufficientScopes = apiError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', {
  reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  domain: 'googleapis.com',
  metadata: { service: 'iamcredentials.googleapis.com' },
});
