import type { JWTOptions } from 'google-auth-library/build/src/auth/jwtclient.js';
import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { unusableResponse } from './access-token.ts';
import { askGoogle } from '../ask.ts';
import type { GcpCall } from '../errors.ts';
import type { IdTokenAnswer, TokenResponse } from '../schemas.ts';

export type GcpSdkTransport = NonNullable<JWTOptions['transporterOptions']>;

export interface LibraryCall extends GcpCall {
  readonly url: URL;
  /** The shape of the response. The library does not check it, and would pass on any value in place of a token. */
  readonly schema: typeof TokenResponse | typeof IdTokenAnswer;
}

/**
 * The transport of google-auth-library's clients, with our limits, trust, proxies and retries. The clients name one
 * address, the token endpoint of Google's own universe. `url` is that endpoint for this node; nothing is sent
 * elsewhere.
 */
export function createSdkTransport({ schema, ...call }: LibraryCall, context: Context): GcpSdkTransport {
  const adapter: NonNullable<GcpSdkTransport['adapter']> = async (options) => {
    if (options.url.href !== libraryTokenUrl) {
      throw new Error('google-auth-library asked for an address that we do not know');
    }
    const body = options.body instanceof URLSearchParams ? options.body : new URLSearchParams();
    const { json } = await askGoogle({ ...call, body }, context);
    const parsed = schema.safeParse(json);
    if (!parsed.success) throw unusableResponse(call.target);
    return Object.assign(new Response(null), { config: options, data: parsed.data as never });
  };
  return {
    adapter,
    retryConfig: { shouldRetry: () => false },
    // Without this the library would look for a proxy.
    noProxy: [/^/],
  };
}

const libraryTokenUrl = 'https://oauth2.googleapis.com/token';

/** Our own failure, which the library wraps. The library's own message is not quoted: it can repeat its input. */
export function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  return error instanceof Error && error.cause instanceof Failure ? error.cause : undefined;
}
