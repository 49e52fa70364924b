import { Failure } from '../../../lib/failure.ts';
import { bodyText } from '../../../lib/http/ask.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { parseJson } from '../../../lib/json.ts';
import { retry } from '../../../lib/retry.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { isClientId } from './application.ts';
import { entraToken, looksLikeToken } from './entra-token.ts';
import type { EntraToken } from './entra-token.ts';
import { metadataFailure } from '../errors.ts';
import { askMetadata, metadataService } from '../metadata/session.ts';
import { ManagedIdentityToken } from '../schemas.ts';

/**
 * During its updates the service refuses requests for up to 70 s. Retries cover as much of that as the deadline allows.
 */
const policy = { attempts: 7, firstWaitMs: 300, maxWaitMs: 10_000 };

/** One of this machine's managed identities: the one with that client id or resource id, or the only one. */
export interface ManagedIdentity {
  readonly source: string;
  readonly query: string;
}

export function chooseManagedIdentity(select: string | undefined): ManagedIdentity {
  if (select === undefined) return { source: "this machine's managed identity", query: '' };
  const id = encodeURIComponent(select);
  if (isClientId(select)) return { source: `the managed identity ${select}`, query: `&client_id=${id}` };
  if (resourceId.test(select)) {
    return { source: `the managed identity ${nameIn(select)}`, query: `&msi_res_id=${id}` };
  }
  throw new Failure('misconfigured', 'the chosen managed identity is neither a client id nor a resource id', {
    remedy: 'write nodeIdentity or AZURE_CLIENT_ID as xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx, or as /subscriptions/…',
  });
}

const resourceId = /^\/subscriptions\/[\w./()-]{1,400}$/;

function nameIn(id: string): string {
  return id.split('/').at(-1) ?? '';
}

export async function managedIdentityToken(
  identity: ManagedIdentity,
  audience: string,
  { env, context }: { readonly env: Environment; readonly context: Context },
): Promise<EntraToken> {
  const { source, query } = identity;
  const path = `/metadata/identity/oauth2/token?api-version=2018-02-01&resource=${encodeURIComponent(audience)}${query}`;
  context.log.debug(`a token for ${audience} from ${metadataService} as ${source}`);
  const ask = async (): Promise<EntraToken> => {
    const response = await askMetadata(path, env, context);
    if (response.status === 200) return parseToken(response, source);
    throw metadataFailure(response, { target: metadataService, as: source }, context.clock.wallMs());
  };
  return retry(ask, policy, context);
}

function parseToken(response: HttpResponse, source: string): EntraToken {
  const parsed = ManagedIdentityToken.safeParse(parseJson(bodyText(response)));
  if (parsed.success && looksLikeToken(parsed.data.access_token)) {
    return entraToken(parsed.data.access_token, Number(parsed.data.expires_on) * 1_000, source);
  }
  throw new Failure('invalid-response', `${metadataService} answered without a usable token`, {
    remedy: 'check that nothing else answers in its place',
  });
}
