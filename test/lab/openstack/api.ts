import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export async function callSocket(socketPath: string, request: ApiRequest): Promise<ApiResponse> {
  const { method, path, body, headers } = request;
  const sent = httpRequest({ socketPath, method, path, headers: { 'content-type': 'application/json', ...headers } });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, headers: response.headers, body: await text(response) };
}

/** Of a response that must have succeeded. */
export function bodyOf({ status, body }: ApiResponse, what: string): unknown {
  if (status < 200 || status > 299) throw new Error(`${what}: ${String(status)} ${body}`);
  return body === '' ? undefined : JSON.parse(body);
}
