import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TlsFiles } from '../../clouds/listener.ts';
import { callService, loginRefusal } from './authorization.ts';
import type { RegistryHost } from './authorization.ts';

/** The argument, as JSON. */
export interface AuthProxyOptions {
  readonly address: string;
  readonly tls: TlsFiles;
  readonly registries: Readonly<Record<string, RegistryHost>>;
  /** The registry behind, which lets everybody do everything. */
  readonly registrySocket: string;
}

// The doors of registries, run inside a network namespace: production names over TLS, nothing without a login that the
// embedded cloud gave out, and for reading only. Behind them each host has a part of one registry.
const options = JSON.parse(process.argv[2] ?? '') as AuthProxyOptions;
const tls = { key: readFileSync(options.tls.keyFile), cert: readFileSync(options.tls.certificateFile) };
createServer(tls, (request, response) => {
  handleRequest(request, response).catch((error: unknown) => {
    log(`error ${String(error)}`);
    response.destroy();
  });
}).listen(443, options.address);

interface RegistryRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: string;
}

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const host = (request.headers.host ?? '').replace(/:443$/, '');
  const registry = options.registries[host];
  const outcome = registry === undefined ? 'no such registry' : await authorize(registry, { request, response, host });
  log(`${request.method ?? ''} ${host}${(request.url ?? '').replace(/\?.*/, '')} ${outcome}`);
  if (registry === undefined) response.writeHead(404).end();
}

/** What became of it, for the log. */
async function authorize(registry: RegistryHost, incoming: RegistryRequest): Promise<string> {
  const { request, response, host } = incoming;
  if (registry.service === undefined) {
    const refusal = await loginRefusal(registry, host, request.headers.authorization ?? '');
    if (refusal === undefined) return forwardToRegistry(incoming);
    return refuse(incoming, 401, refusal);
  }
  const path = request.url ?? '';
  const answer = await callService(registry.service, request, path.startsWith('/v2/') ? '/v2/' : path);
  if (answer.statusCode === 200 && path.startsWith('/v2/')) return forwardToRegistry(incoming);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
  return `${String(answer.statusCode)} from the cloud`;
}

function refuse({ response, host }: RegistryRequest, status: number, outcome: string): string {
  const body = JSON.stringify({
    errors: [{ code: status === 401 ? 'UNAUTHORIZED' : 'UNSUPPORTED', message: outcome }],
  });
  const challenge = { 'www-authenticate': `Basic realm="https://${host}/",service="${host}"` };
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 401 ? challenge : {}) }).end(body);
  return outcome;
}

function forwardToRegistry(incoming: RegistryRequest): string {
  const { request, response, host } = incoming;
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(incoming, 405, 'let in, but not to write');
  const path = (request.url ?? '').replace(/^\/v2\/(?=.)/, `/v2/${host}/`);
  const headers = { ...request.headers };
  delete headers.authorization;
  const asked = httpRequest({ socketPath: options.registrySocket, method: request.method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  asked.on('error', () => response.destroy());
  asked.end();
  return 'let in';
}

/** Logins never: they stand in headers and bodies. */
function log(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}
