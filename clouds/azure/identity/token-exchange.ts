import { apiRequest, apiRetryPolicy, ask, bodyText } from '../../../lib/http/ask.ts';
import { parseJson } from '../../../lib/json.ts';
import { retry } from '../../../lib/retry.ts';
import type { Secret } from '../../../lib/secret.ts';
import type { Context } from '../../../lib/context.ts';
import type { Application } from './application.ts';
import { entraToken, looksLikeToken, noToken } from './entra-token.ts';
import type { EntraToken } from './entra-token.ts';
import { entraFailure } from '../errors.ts';
import { EntraTokenResponse } from '../schemas.ts';

/** The token is exchanged for one of the application, if the application trusts its issuer, subject and audience. */
export interface EntraTokenGrant {
  readonly application: Application;
  readonly token: Secret;
  /** Names the token in messages. */
  readonly description: string;
}

const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** One request, without the SDK: decision 7. */
export async function tokenByAssertion(
  { application, token, description }: EntraTokenGrant,
  audience: string,
  { authority, context }: { readonly authority: URL; readonly context: Context },
): Promise<EntraToken> {
  const { tenantId, clientId } = application;
  const url = new URL(`/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`, authority);
  const source = `${clientId} in tenant ${tenantId} by ${description}`;
  const body = new URLSearchParams({
    client_id: clientId,
    scope: `${audience}/.default`,
    grant_type: 'client_credentials',
    client_assertion_type: assertionType,
    client_assertion: token.reveal(),
  });
  context.log.debug(`a token for ${audience} from ${url.host} as ${source}`);
  const askOnce = async (): Promise<EntraToken> => {
    const response = await ask({ ...apiRequest, target: url.host, method: 'POST', url, body }, context);
    const wallMs = context.clock.wallMs();
    if (response.status !== 200) throw entraFailure(response, { target: url.host, as: source }, wallMs);
    const parsed = EntraTokenResponse.safeParse(parseJson(bodyText(response)));
    if (!parsed.success || !looksLikeToken(parsed.data.access_token)) throw noToken(url.host);
    const { access_token: accessToken, expires_in: lifeS } = parsed.data;
    return entraToken(accessToken, wallMs + (lifeS ?? Number.NaN) * 1_000, source);
  };
  return retry(askOnce, apiRetryPolicy, context);
}
