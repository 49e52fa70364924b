import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { CertificateFiles } from '../authority.ts';
import type { ServiceName } from './services.ts';

export interface FrontOptions {
  readonly service: ServiceName;
  readonly socketPath: string;
  readonly port: number;
  readonly certificate: CertificateFiles;
  onRequest(request: FrontRequest): void;
}

export interface FrontRequest {
  readonly service: ServiceName;
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Undefined: no response was sent. */
  readonly status: number | undefined;
  /** With which token it came. */
  readonly token: string | undefined;
}

/** How a service may be away: its load balancer is gone, or has no service left behind it. */
export type Absence = 'refused' | 'unavailable';

/** Ends TLS before a service, as the load balancer of a cloud does. Listens on 127.0.0.1. */
export interface Front {
  takeAway(how: Absence): Promise<void>;
  bringBack(): Promise<void>;
  close(): Promise<void>;
}

export async function openFront(options: FrontOptions): Promise<Front> {
  const { port, certificate } = options;
  let isUnavailable = false;
  const [key, cert] = await Promise.all([readFile(certificate.keyFile), readFile(certificate.certificateFile)]);
  const server = createServer({ key, cert }, (request, response) => {
    response.once('close', () => options.onRequest(recordOf(options.service, request, response)));
    if (isUnavailable) refuse(response);
    else forward(options.socketPath, request, response);
  });
  const listen = async (): Promise<void> => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  const close = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  await listen();
  return {
    takeAway: async (how) => {
      isUnavailable = how === 'unavailable';
      if (how === 'refused') await close();
    },
    bringBack: async () => {
      isUnavailable = false;
      if (!server.listening) await listen();
    },
    close,
  };
}

function recordOf(service: ServiceName, request: IncomingMessage, response: ServerResponse): FrontRequest {
  const { method = '', url: path = '' } = request;
  const token = request.headers['x-auth-token']?.toString();
  return { service, method, path, status: response.headersSent ? response.statusCode : undefined, token };
}

function forward(socketPath: string, request: IncomingMessage, response: ServerResponse): void {
  const { method, url: path, headers } = request;
  // The service builds its links from these two.
  const forwarded = { ...headers, host: headers.host ?? '', 'x-forwarded-proto': 'https' };
  const sent = httpRequest({ socketPath, method, path, headers: forwarded }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => refuse(response));
  request.pipe(sent);
  response.once('close', () => sent.destroy());
}

/** What HAProxy answers when no server is left. */
function refuse(response: ServerResponse): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(503, { 'content-type': 'text/html', 'cache-control': 'no-cache' });
  response.end('<html><body><h1>503 Service Unavailable</h1>\nNo server is available.\n</body></html>\n');
}
