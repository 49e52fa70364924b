import { readFileSync } from 'node:fs';
import { request as httpsRequest } from 'node:https';
import { json, text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import type { CertificateFiles } from '../authority.ts';

export interface ApiResponse {
  readonly status: number;
  /** Text where it is no JSON. */
  readonly body: unknown;
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One request over a connection of its own, whatever the answer is. A patch is a merge patch. */
export type CallApi = (method: Method, path: string, body?: object) => Promise<ApiResponse>;

export interface ApiOptions {
  readonly url: string;
  readonly authorityFile: string;
  readonly client: CertificateFiles;
}

const timeoutMs = 30_000;

export function createApi({ url, authorityFile, client }: ApiOptions): CallApi {
  const ca = readFileSync(authorityFile);
  const cert = readFileSync(client.certificateFile);
  const key = readFileSync(client.keyFile);
  return async (method, path, body) => {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    const headers = { 'user-agent': 'lab', ...(sent !== undefined && headersOf(method, sent)) };
    const signal = AbortSignal.timeout(timeoutMs);
    const request = httpsRequest(new URL(path, url), { method, ca, cert, key, headers, signal, agent: false });
    request.end(sent);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    const isJson = (response.headers['content-type'] ?? '').startsWith('application/json');
    return { status: response.statusCode ?? 0, body: isJson ? await json(response) : await text(response) };
  };
}

function headersOf(method: Method, sent: string): Readonly<Record<string, string | number>> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  // Node.js sets the length for other methods. Without it, servers ignore the body of a DELETE.
  return { 'content-type': type, 'content-length': Buffer.byteLength(sent) };
}
