import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { checkAssertion } from './assertion.ts';
import type { EntraTokenCall } from './assertion.ts';
import type { EntraFailure } from './entra-refusal.ts';
import { isRefusal, errorResponse } from './entra-refusal.ts';
import type { AzureState, Principal } from './state.ts';
import { entraKey, grantToken, json } from './tokens.ts';

/** Entra's token endpoint for applications, with its discovery document and keys. */
export const entra: LabService<AzureState> = {
  throttled: json(429, { error: 'temporarily_unavailable', error_description: 'AADSTS90055: Too many requests.' }),
  respond: (request, state, moment) => {
    const { pathname } = new URL(request.path, 'https://entra');
    const [, tenant = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(pathname) ?? [];
    const route = `${request.method} ${rest}`;
    if (route === 'POST /oauth2/v2.0/token') return respondWithToken(request, tenant, state, moment);
    if (route === 'GET /v2.0/.well-known/openid-configuration') return discovery(request, tenant);
    if (route === 'GET /discovery/v2.0/keys') return json(200, { keys: [{ ...entraKey(), use: 'sig' }] });
    return { status: 404, headers: {}, body: '' };
  },
};

const lifeS = 3599;

function respondWithToken(request: LabRequest, tenant: string, state: AzureState, moment: Moment): LabResponse {
  const form = Object.fromEntries(new URLSearchParams(request.body));
  const granted = grant({ request, form, tenant, state, moment });
  if (isRefusal(granted)) return errorResponse(granted, moment.nowMs);
  const { token } = grantToken({ ...granted, lifeS }, moment);
  const life = { expires_in: moment.expiry === 'passed' ? 0 : lifeS, ext_expires_in: lifeS };
  return json(200, { token_type: 'Bearer', ...(moment.expiry !== 'absent' && life), access_token: token });
}

interface GrantInputs {
  readonly clientId: string;
  readonly principal: Principal;
  readonly audience: string;
}

function grant(call: EntraTokenCall): GrantInputs | EntraFailure {
  const { form, tenant, state } = call;
  const clientId = form['client_id'] ?? '';
  const principal = state.principals[clientId];
  if (!Object.values(state.principals).some(({ tenantId }) => tenantId === tenant)) {
    return [90002, `Tenant '${tenant}' not found.`];
  }
  if (principal?.tenantId !== tenant) {
    return [700016, `Application with identifier '${clientId}' was not found in the directory '${tenant}'.`];
  }
  const audience = audienceIn(call);
  if (isRefusal(audience)) return audience;
  return checkClientCredential(call, principal) ?? { clientId, principal, audience };
}

function audienceIn({ form, tenant, state }: EntraTokenCall): string | EntraFailure {
  const { grant_type: type, scope = '' } = form;
  if (type !== 'client_credentials') return [70003, 'The grant type is not supported.'];
  const audience = /^(.+)\/\.default$/.exec(scope)?.[1];
  if (audience === undefined) return [70011, `The scope ${scope} is not valid.`];
  if (state.audiences.includes(audience)) return audience;
  return [500011, `The resource principal named ${audience} was not found in the tenant named ${tenant}.`];
}

function checkClientCredential(call: EntraTokenCall, principal: Principal): EntraFailure | undefined {
  const { form, moment } = call;
  if (form['client_assertion'] !== undefined) return checkAssertion(call, principal);
  const clientSecret = form['client_secret'];
  if (clientSecret === undefined) return [7000216, "'client_assertion', 'client_secret' or 'request' is required."];
  const secret = principal.secrets.find(({ value }) => value === clientSecret);
  if (secret === undefined) return [7000215, `Invalid client secret provided for app '${form['client_id'] ?? ''}'.`];
  return secret.expiresAtMs > moment.nowMs ? undefined : [7000222, 'The provided client secret keys are expired.'];
}

function discovery({ host }: LabRequest, tenant: string): LabResponse {
  const base = `https://${host}/${tenant}`;
  return json(200, {
    token_endpoint: `${base}/oauth2/v2.0/token`,
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
    jwks_uri: `${base}/discovery/v2.0/keys`,
    issuer: `${base}/v2.0`,
    authorization_endpoint: `${base}/oauth2/v2.0/authorize`,
    end_session_endpoint: `${base}/oauth2/v2.0/logout`,
    id_token_signing_alg_values_supported: ['RS256'],
    subject_types_supported: ['pairwise'],
  });
}
