import type { HttpHandlerOptions, HttpRequest as SdkRequest } from '@smithy/types';
import { apiRequest } from '../../lib/http/ask.ts';
import { clockSkewMs } from '../../lib/http/clock-skew.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import type { Context } from '../../lib/context.ts';

/** The transport of the SDK's clients, with our limits, trust and proxies, and without the SDK's retries. */
export interface AwsSdkTransport {
  readonly handler: SdkHandler;
  /** How far AWS's clock is ahead of ours, by the last response. */
  skewMs(): number;
}

interface SdkHandler {
  readonly metadata: { readonly handlerProtocol: string };
  handle(request: SdkRequest, options?: HttpHandlerOptions): Promise<{ response: SdkResponse }>;
  destroy(): void;
  updateHttpClientConfig(): void;
  httpHandlerConfigs(): Record<string, never>;
}

interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

export function createSdkTransport(context: Context, trustOnly: string | undefined): AwsSdkTransport {
  let skewMs = 0;
  const handle = async (request: SdkRequest): Promise<{ response: SdkResponse }> => {
    const response = await send(request, context, trustOnly);
    const responseSkewMs = clockSkewMs(response, context.clock.wallMs());
    skewMs = responseSkewMs ?? skewMs;
    const { status, headers, body } = response;
    return {
      response: {
        statusCode: status,
        headers: responseSkewMs === undefined ? withoutDate(headers) : { ...headers },
        body,
      },
    };
  };
  return {
    handler: {
      metadata: { handlerProtocol: 'http/1.1' },
      handle,
      destroy: () => {},
      updateHttpClientConfig: () => {},
      httpHandlerConfigs: () => ({}),
    },
    skewMs: () => skewMs,
  };
}

function send(request: SdkRequest, context: Context, trustOnly: string | undefined): Promise<HttpResponse> {
  const body = request.body as string | Uint8Array | undefined;
  return context.http.send(
    {
      method: request.method as 'GET' | 'POST' | 'PUT',
      url: addressOf(request),
      headers: request.headers,
      ...(body !== undefined && { body }),
      ...(trustOnly !== undefined && { trustOnly }),
      // Repeatable, since our requests by an SDK only read, or issue credentials.
      ...apiRequest,
    },
    context.signal,
  );
}

/** The services that we call use only the body: there is never a query. */
function addressOf({ protocol, hostname, port, path }: SdkRequest): URL {
  return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
}

/** The SDK would sign its next requests with this date. */
function withoutDate(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'date'));
}
