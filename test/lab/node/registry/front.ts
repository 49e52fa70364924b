import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { TlsFiles } from '../../clouds/listener.ts';
import { askService, objectionTo } from './doorkeeper.ts';
import type { Door } from './doorkeeper.ts';

/** What the one argument says, as JSON. */
export interface FrontOptions {
  readonly address: string;
  readonly tls: TlsFiles;
  readonly doors: Readonly<Record<string, Door>>;
  /** The registry behind, which lets everybody do everything. */
  readonly registrySocket: string;
}

// The doors of registries, run inside a network namespace: production names over TLS, nothing without a login that the
// embedded cloud gave out, and for reading only. Behind them each host has a part of one registry.
const options = JSON.parse(process.argv[2] ?? '') as FrontOptions;
const tls = { key: readFileSync(options.tls.keyFile), cert: readFileSync(options.tls.certificateFile) };
createServer(tls, (request, response) => {
  receive(request, response).catch((error: unknown) => {
    say(`error ${String(error)}`);
    response.destroy();
  });
}).listen(443, options.address);

interface Arrival {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly host: string;
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const host = (request.headers.host ?? '').replace(/:443$/, '');
  const door = options.doors[host];
  const outcome = door === undefined ? 'no such registry' : await enter(door, { request, response, host });
  say(`${request.method ?? ''} ${host}${(request.url ?? '').replace(/\?.*/, '')} ${outcome}`);
  if (door === undefined) response.writeHead(404).end();
}

/** What became of it, for the log. */
async function enter(door: Door, arrival: Arrival): Promise<string> {
  const { request, response, host } = arrival;
  if (door.service === undefined) {
    const objection = await objectionTo(door, host, request.headers.authorization ?? '');
    if (objection === undefined) return letIn(arrival);
    return refuse(arrival, 401, objection);
  }
  const path = request.url ?? '';
  const answer = await askService(door.service, request, path.startsWith('/v2/') ? '/v2/' : path);
  if (answer.statusCode === 200 && path.startsWith('/v2/')) return letIn(arrival);
  response.writeHead(answer.statusCode ?? 502, answer.headers);
  answer.pipe(response);
  return `${String(answer.statusCode)} from the cloud`;
}

function refuse({ response, host }: Arrival, status: number, outcome: string): string {
  const body = JSON.stringify({
    errors: [{ code: status === 401 ? 'UNAUTHORIZED' : 'UNSUPPORTED', message: outcome }],
  });
  const challenge = { 'www-authenticate': `Basic realm="https://${host}/",service="${host}"` };
  response.writeHead(status, { 'content-type': 'application/json', ...(status === 401 ? challenge : {}) }).end(body);
  return outcome;
}

function letIn(arrival: Arrival): string {
  const { request, response, host } = arrival;
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(arrival, 405, 'let in, but not to write');
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
function say(line: string): void {
  process.stdout.write(`${new Date().toISOString()} ${line}\n`);
}
