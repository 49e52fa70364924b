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
  /** What the response must be: the library does not check it, and passes on whatever stands in place of a token. */
  readonly schema: typeof TokenResponse | typeof IdTokenAnswer;
}

/**
 * What google-auth-library's clients send by: our limits, trust, proxies and retries. They name one address, the token
 * endpoint of Google's own universe; `url` is where that is for this node, and nothing is sent anywhere else.
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
    // Else it would look for a proxy by itself.
    noProxy: [/^/],
  };
}

const libraryTokenUrl = 'https://oauth2.googleapis.com/token';

/** Our own failure, which the library wraps; what it says itself is not quoted, since it can echo what it was given. */
export function failureIn(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  return error instanceof Error && error.cause instanceof Failure ? error.cause : undefined;
}
