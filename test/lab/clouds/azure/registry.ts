import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { isSignedBy, parseSignedToken } from '../signed-token.ts';
import type { AzureState, LabRegistry } from './state.ts';
import { entraKey, holderOf, json, signForRegistry } from './tokens.ts';
import type { TokenHolder } from './tokens.ts';

/** Azure container registries, each at its host name: the challenge, and the two exchanges of tokens. */
export const registry: LabService<AzureState> = {
  throttled: refusal(429, 'TOOMANYREQUESTS', 'too many requests to registry'),
  respond: (request, state, moment) => {
    const name = request.host.replace(/:\d+$/, '').replace(/\.[a-z0-9]+\.geo\./, '.');
    const known = state.registries[name];
    if (known === undefined) return { status: 404, headers: {}, body: '' };
    if (known.closed === true) return refusal(403, 'DENIED', firewall);
    const { pathname, searchParams } = new URL(request.path, 'https://registry');
    const call = { request, name, known, state, moment };
    if (pathname === '/oauth2/exchange' && request.method === 'POST') return exchange(call);
    if (pathname === '/oauth2/token') return issueAccessToken(call, searchParams);
    if (pathname === '/v2/' || pathname.startsWith('/v2/')) return showApi(call);
    return { status: 404, headers: {}, body: '' };
  },
};

interface Call {
  readonly request: LabRequest;
  readonly name: string;
  readonly known: LabRegistry;
  readonly state: AzureState;
  readonly moment: Moment;
}

const firewall = "client with IP '10.1.0.4' is not allowed access. Refer https://aka.ms/acr/firewall to grant access.";
const required = 'authentication required, visit https://aka.ms/acr/authorization for more information.';

function refusal(status: number, code: string, message: string): LabResponse {
  const { headers, ...rest } = json(status, { errors: [{ code, message, detail: null }] });
  return { ...rest, headers: { ...headers, 'docker-distribution-api-version': 'registry/2.0' } };
}

function showApi({ request, name, known }: Call): LabResponse {
  const token = /^Bearer (.+)$/.exec(request.headers['authorization'] ?? '')?.[1];
  if (token !== undefined && claimsOf(token)['aud'] === name) return json(200, {});
  const answer = refusal(401, 'UNAUTHORIZED', required);
  const host = request.host.replace(/:\d+$/, '');
  const challenge = `Bearer realm="${known.realm ?? `https://${host}/oauth2/token`}",service="${name}"`;
  return { ...answer, headers: { ...answer.headers, 'www-authenticate': challenge } };
}

const audiences = ['https://containerregistry.azure.net', 'https://management.azure.com'];
/** The second one is what acr-credential-provider asks by. */
const grantTypes = ['access_token', 'access_token_refresh_token'];
const lifeS = 3 * 60 * 60;
const passedS = 60;

/** A token of Entra's for one of the registry's own. */
function exchange({ request, name, known, state, moment }: Call): LabResponse {
  const form = Object.fromEntries(new URLSearchParams(request.body));
  if (!grantTypes.includes(form['grant_type'] ?? '') || form['service'] !== name) {
    return refusal(400, 'BAD_REQUEST', 'grant_type and service are required');
  }
  const holder = holderOf(form['access_token'] ?? '', moment.nowMs);
  if (holder === undefined || !mayPull(holder, known)) return refusal(401, 'UNAUTHORIZED', required);
  return json(200, { refresh_token: issue(holder, name, state, moment) });
}

function mayPull({ objectId, tenantId, audience }: TokenHolder, known: LabRegistry): boolean {
  return known.pullers.includes(objectId) && tenantId === known.tenantId && audiences.includes(audience);
}

function issue(holder: TokenHolder, name: string, state: AzureState, moment: Moment): string {
  const nowS = Math.floor(moment.nowMs / 1000);
  const expiresAtS = nowS + (moment.expiry === 'passed' ? -passedS : lifeS);
  const password = signForRegistry({
    sub: holder.objectId,
    nbf: nowS,
    iat: nowS,
    ...(moment.expiry !== 'absent' && { exp: expiresAtS }),
    aud: name,
    version: '1.0',
    grant_type: 'refresh_token',
    appid: holder.clientId,
    tenant: holder.tenantId,
  });
  const username = '00000000-0000-0000-0000-000000000000';
  state.registryLogins.push({
    registry: name,
    username,
    password,
    expiresAtMs: expiresAtS * 1000,
    objectId: holder.objectId,
  });
  return password;
}

/** The registry's own token for one that opens repositories, as container runtimes ask for it. */
function issueAccessToken({ request, name, state, moment }: Call, query: URLSearchParams): LabResponse {
  const shown = refreshTokenIn(request);
  const good = state.registryLogins.some(
    ({ registry: of, password, expiresAtMs }) => of === name && password === shown && expiresAtMs > moment.nowMs,
  );
  if (!good) return refusal(401, 'UNAUTHORIZED', required);
  const form = new URLSearchParams(request.body);
  const scope = form.get('scope') ?? query.get('scope') ?? '';
  const exp = Math.floor(moment.nowMs / 1000) + lifeS;
  return json(200, { access_token: signForRegistry({ aud: name, exp, grant_type: 'access_token', scope }) });
}

/** By the two grants that runtimes use, or by basic authentication. */
function refreshTokenIn({ method, headers, body }: LabRequest): string | undefined {
  if (method === 'GET') {
    const basic = /^Basic (.+)$/.exec(headers['authorization'] ?? '')?.[1] ?? '';
    return Buffer.from(basic, 'base64')
      .toString('utf8')
      .replace(/^[^:]*:/, '');
  }
  const form = new URLSearchParams(body);
  return form.get('refresh_token') ?? form.get('password') ?? undefined;
}

function claimsOf(token: string): Readonly<Record<string, unknown>> {
  const parsed = parseSignedToken(token);
  return parsed !== undefined && isSignedBy(parsed, entraKey()) ? parsed.claims : {};
}
