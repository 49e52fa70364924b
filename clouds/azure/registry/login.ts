import type { HttpResponse } from '../../../lib/http/http.ts';
import { apiRequest, apiRetryPolicy, ask, bodyText } from '../../../lib/http/ask.ts';
import { clockSkewMs, isSkewed, skewText } from '../../../lib/http/clock-skew.ts';
import { parseJson } from '../../../lib/json.ts';
import { retry } from '../../../lib/retry.ts';
import { Secret } from '../../../lib/secret.ts';
import type { Identity, Login, Registry } from '../../cloud.ts';
import type { Context } from '../../../lib/context.ts';
import { findExchange, unusableResponse } from './exchange-endpoint.ts';
import type { ExchangeEndpoint } from './exchange-endpoint.ts';
import { looksLikeToken } from '../identity/entra-token.ts';
import type { EntraToken } from '../identity/entra-token.ts';
import { registryFailure } from '../errors.ts';
import { tokenSourceFor } from '../identity/resolve-identity.ts';
import type { AzureSettings } from '../identity/resolve-identity.ts';
import { registryNames, azureCloudOf } from './hosts.ts';
import { ExchangeResponse, TokenClaims } from '../schemas.ts';

/** Tells the registry that the password is a token. */
const username = '00000000-0000-0000-0000-000000000000';

/** Reads the registry's challenge while it fetches the token. By then the connection to the registry is open. */
export async function logIn(
  registry: Registry,
  as: Identity,
  settings: AzureSettings,
  context: Context,
): Promise<Login> {
  const { endpoint } = registry;
  if (endpoint === undefined) throw unusableResponse(registry.authKey);
  const { config } = settings;
  const source = tokenSourceFor(as, azureCloudOf(endpoint.hostname, config), settings);
  const names = registryNames(endpoint.hostname, config);
  const [token, exchange] = await Promise.all([
    source(config.registryAudience, context),
    findExchange(endpoint, names, context),
  ]);
  return exchangeToken(token, exchange, context);
}

async function exchangeToken(token: EntraToken, { url, service }: ExchangeEndpoint, context: Context): Promise<Login> {
  const target = url.host;
  const body = new URLSearchParams({ grant_type: 'access_token', service, access_token: token.token.reveal() });
  context.log.debug(`a login from ${target} as ${token.source}`);
  const askOnce = async (): Promise<Login> => {
    const response = await ask({ ...apiRequest, target, method: 'POST', url, body }, context);
    const wallMs = context.clock.wallMs();
    if (response.status !== 200) throw registryFailure(response, { target, as: token.source }, wallMs);
    return parseLogin(response, target, context);
  };
  return retry(askOnce, apiRetryPolicy, context);
}

function parseLogin(response: HttpResponse, target: string, context: Context): Login {
  const parsed = ExchangeResponse.safeParse(parseJson(bodyText(response)));
  if (!parsed.success || !looksLikeToken(parsed.data.refresh_token)) throw unusableResponse(target);
  const password = parsed.data.refresh_token;
  const expiresAtS = expiryIn(password);
  const skewMs = skewOf(response, context);
  return {
    username,
    password: new Secret(password),
    ...(expiresAtS !== undefined && { expiresAtMs: expiresAtS * 1_000 - skewMs }),
    // The refresh token stays valid when the token that it was issued for expires.
    endsWithToken: false,
  };
}

/** The signature need not be checked: the token comes from the registry itself. */
export function expiryIn(token: string): number | undefined {
  const claims = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
  const parsed = TokenClaims.safeParse(parseJson(claims));
  return parsed.success ? parsed.data.exp : undefined;
}

/** How far the registry's clock is ahead of ours; 0 if that does not matter. */
function skewOf(response: HttpResponse, { clock, log }: Context): number {
  const skewMs = clockSkewMs(response, clock.wallMs()) ?? 0;
  if (!isSkewed(skewMs)) return 0;
  log.info(skewText(skewMs, "the registry's"));
  return skewMs;
}
