import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../clock.ts';
import { failureFields } from '../log/failure-fields.ts';
import type { Log } from '../log/log.ts';
import type { RequestAccess, AccessDecision } from './access/request-access.ts';
import { credentialsOf } from './access/credentials.ts';
import type { PageResponse, ServerPages } from './page.ts';

export interface Responder {
  readonly pages: ServerPages;
  readonly access: RequestAccess;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the server closes. */
  readonly signal: AbortSignal;
}

const longestReviewMs = 5_000;
const plainText = 'text/plain; charset=utf-8';

export async function respond(responder: Responder, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, text, contentType } = await createResponse(responder, request).catch(
    (error: unknown): PageResponse => {
      responder.log.error(`The page ${pathOf(request)} could not be made`, failureFields(error));
      return { status: 500, text: 'could not be made; the log says why\n' };
    },
  );
  const body = Buffer.from(text);
  response.writeHead(status, {
    'content-type': contentType ?? plainText,
    'content-length': body.length,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    ...(hasBody(request) && { connection: 'close' }),
  });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function createResponse(responder: Responder, request: IncomingMessage): Promise<PageResponse> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, text: 'only GET and HEAD\n' };
  if (hasBody(request)) return { status: 413, text: 'no page takes a body\n' };
  const { pathname: path, searchParams } = urlOf(request);
  const page = responder.pages.get(path);
  if (page?.isPublic !== true) {
    const decision = await checkAccess(responder, request, { verb: request.method.toLowerCase(), path });
    if (decision.is !== 'allowed') return denial(decision, path);
  }
  return page?.respond(searchParams) ?? { status: 404, text: 'there is no such page\n' };
}

/** Only a path names a page; other request targets do not. */
function urlOf({ url = '' }: IncomingMessage): URL {
  return new URL(`https://any${url.startsWith('/') ? url : '/'}`);
}

function checkAccess(
  { access, clock, signal }: Responder,
  request: IncomingMessage,
  query: { readonly verb: string; readonly path: string },
): Promise<AccessDecision> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(longestReviewMs)]);
  return access(credentialsOf(request, clock.wallMs()), query, limited);
}

function denial(decision: Exclude<AccessDecision, { readonly is: 'allowed' }>, path: string): PageResponse {
  switch (decision.is) {
    case 'unauthorized':
      return { status: 401, text: 'Unauthorized\n' };
    case 'forbidden':
      return { status: 403, text: `Forbidden: user ${JSON.stringify(decision.user.username)} cannot get ${path}\n` };
    case 'unknown':
      return { status: 503, text: 'the API server could not be asked who may see this\n' };
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function pathOf(request: IncomingMessage): string {
  return JSON.stringify((request.url ?? '').split('?', 1)[0]?.slice(0, 100));
}
