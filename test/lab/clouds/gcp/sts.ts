import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import { issueAccessToken } from './access-tokens.ts';
import { json, wrongHostResponse, oauthError } from './errors.ts';
import type { GcpState, Provider } from './state.ts';

/** https://cloud.google.com/iam/docs/reference/sts/rest/v1/TopLevel/token */
export const sts: LabService<GcpState> = {
  throttled: oauthError(429, 'quota_exceeded', 'The request was throttled'),
  respond: (request, state, moment) => {
    const wrongHost = wrongHostResponse(request.host, 'sts');
    if (wrongHost) return wrongHost;
    if (request.method !== 'POST' || request.path !== '/v1/token') return { status: 404, headers: {}, body: '' };
    return exchange(inputOf(request), state, moment);
  },
};

type Input = Readonly<Record<string, string>>;

/** Both forms are understood: a form, and JSON with its keys in camel case. */
function inputOf({ headers, body }: LabRequest): Input {
  if (!(headers['content-type'] ?? '').startsWith('application/json')) {
    return Object.fromEntries(new URLSearchParams(body));
  }
  try {
    const entries = Object.entries(JSON.parse(body) as Record<string, unknown>);
    return Object.fromEntries(entries.map(([name, value]) => [snake(name), String(value)]));
  } catch {
    return {};
  }
}

function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

const oauth = 'urn:ietf:params:oauth';
const tokenTypes = [`${oauth}:token-type:jwt`, `${oauth}:token-type:id_token`];
const audienceForm = /^(?:\/\/iam\.googleapis\.com\/.+\/providers\/.+|identitynamespace:.+:https:\/\/.+)$/;

/** What has to stand in a request, field by field. */
const forms: Readonly<Record<string, (text: string) => boolean>> = {
  grant_type: (text) => text === `${oauth}:grant-type:token-exchange`,
  requested_token_type: (text) => text === `${oauth}:token-type:access_token`,
  subject_token_type: (text) => tokenTypes.includes(text),
  audience: (text) => audienceForm.test(text),
};

function exchange(input: Input, state: GcpState, moment: Moment): LabResponse {
  const wrong = Object.keys(forms).find((field) => forms[field]?.(input[field] ?? '') !== true);
  if (wrong !== undefined) return oauthError(400, 'invalid_request', `Invalid value for "${wrong}".`);
  const { audience = '', scope = '', subject_token: token = '' } = input;
  if (scope === '') return oauthError(400, 'invalid_scope', 'Some requested scopes cannot be shown: []');
  const provider = state.providers[audience];
  if (provider === undefined) return oauthError(400, 'invalid_target', unknownTarget);
  const checked = check(token, provider, moment.nowMs);
  return 'status' in checked ? checked : grant(checked, provider, { scopes: scope.split(' '), state, moment });
}

interface GrantContext {
  readonly scopes: readonly string[];
  readonly state: GcpState;
  readonly moment: Moment;
}

function grant(
  { subject, expiresAtS }: Subject,
  provider: Provider,
  { scopes, state, moment }: GrantContext,
): LabResponse {
  const lifeS = Math.min(3599, Math.floor(expiresAtS - moment.nowMs / 1000));
  const issued = issueAccessToken({ member: `${provider.principalPrefix}${subject}`, scopes, lifeS }, state, moment);
  return json(200, {
    access_token: issued.token,
    issued_token_type: `${oauth}:token-type:access_token`,
    token_type: 'Bearer',
    ...issued.expiresIn,
  });
}

const unknownTarget =
  'The target service indicated by the "audience" parameters is invalid. This might either be because the pool or provider is disabled or deleted or because it doesn\'t exist.';

interface Subject {
  readonly subject: string;
  readonly expiresAtS: number;
}

/** Signature, issuer, audience, time and the attribute condition. */
function check(token: string, provider: Provider, nowMs: number): Subject | LabResponse {
  const jwt = parseSignedToken(token);
  if (jwt === undefined) return refused('Unable to parse the ID Token.');
  const { iss, aud, sub, exp, iat } = jwt.claims;
  if (iss !== provider.issuer) {
    return refused(`The issuer in ID Token ${String(iss)} does not match the expected ones: ${provider.issuer}`);
  }
  const audiences = [aud].flat().map(String);
  if (!audiences.some((each) => provider.audiences.includes(each))) {
    return refused(
      `The audience in ID Token [${audiences.join(', ')}] does not match the expected audience ${provider.audiences[0] ?? ''}.`,
    );
  }
  if (!provider.keys.some((key) => isSignedBy(jwt, key))) return refused('Invalid ID Token signature.');
  if (Number(exp) <= nowMs / 1000) return refused(`ID Token issued at ${String(iat)} is stale to sign-in.`);
  if (provider.subjects?.includes(String(sub)) === false) {
    return oauthError(400, 'unauthorized_client', 'The given credential is rejected by the attribute condition.');
  }
  return { subject: String(sub), expiresAtS: Number(exp) };
}

function refused(description: string): LabResponse {
  return oauthError(400, 'invalid_grant', description);
}
