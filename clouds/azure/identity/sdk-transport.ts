import type { ClientSecretCredentialOptions } from '@azure/identity';
import { Failure } from '../../../lib/failure.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { apiRequest, ask, bodyText } from '../../../lib/http/ask.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Context } from '../../../lib/context.ts';
import { looksLikeToken, noToken } from './entra-token.ts';
import { entraFailure } from '../errors.ts';
import { EntraTokenResponse } from '../schemas.ts';

type SdkClient = NonNullable<ClientSecretCredentialOptions['httpClient']>;
type SdkRequest = Parameters<SdkClient['sendRequest']>[0];
type SdkResponse = Awaited<ReturnType<SdkClient['sendRequest']>>;

/** The SDK's transport, with our limits, trust and proxies. It sends to the authority only and follows no redirect. */
export interface AzureSdkTransport {
  readonly client: SdkClient;
  /** Why there was no response; the SDK's own error does not keep that. */
  failure(): Failure | undefined;
}

export function createSdkTransport(authority: URL, as: string, context: Context): AzureSdkTransport {
  let failure: Failure | undefined;
  const sendRequest = async (request: SdkRequest): Promise<SdkResponse> => {
    try {
      const response = await send(request, authority, context);
      const { status, headers } = response;
      if (status !== 200) throw entraFailure(response, { target: authority.host, as }, context.clock.wallMs());
      const bodyAsText = bodyText(response);
      if (request.method === 'POST' && !holdsToken(bodyAsText)) throw noToken(authority.host);
      return { request, status, headers: headersOf(headers), bodyAsText };
    } catch (error) {
      failure = error instanceof Failure ? error : undefined;
      throw error;
    }
  };
  return { client: { sendRequest }, failure: () => failure };
}

/** The SDK does not check this, and would pass on any value in place of a token. */
function holdsToken(text: string): boolean {
  const parsed = EntraTokenResponse.safeParse(parseJson(text));
  return parsed.success && looksLikeToken(parsed.data.access_token);
}

async function send(request: SdkRequest, authority: URL, context: Context): Promise<HttpResponse> {
  const url = new URL(request.url);
  if (url.origin !== authority.origin) throw wrongHost(authority);
  const { method, body } = request;
  if (method !== 'GET' && method !== 'POST') throw wrongHost(authority);
  const headers = { ...request.headers.toJSON() };
  const content = typeof body === 'string' && { body };
  return ask({ ...apiRequest, target: authority.host, method, url, headers, ...content }, context);
}

function wrongHost({ host }: URL): Failure {
  return new Failure('misconfigured', `the SDK wanted to send to another host than ${host}`, {
    remedy: 'check AZURE_AUTHORITY_HOST',
  });
}

/** The form in which the SDK reads and prints headers. No code sets any. */
function headersOf(headers: HttpResponse['headers']): SdkResponse['headers'] {
  const known = new Map(Object.entries(headers));
  return {
    get: (name) => known.get(name.toLowerCase()),
    has: (name) => known.has(name.toLowerCase()),
    set: (name, value) => void known.set(name.toLowerCase(), String(value)),
    delete: (name) => void known.delete(name.toLowerCase()),
    toJSON: () => Object.fromEntries(known),
    [Symbol.iterator]: () => known.entries(),
  };
}
