import { createHash } from 'node:crypto';
import type { LabRequest, LabResponse, Moment, LabService } from '../cloud.ts';
import { issueAccessToken } from './access-tokens.ts';
import { signIdentityToken } from './identity-token.ts';
import { documentsOf, foldersOf } from './metadata-documents.ts';
import type { GcpState, Instance } from './state.ts';

const head = { 'metadata-flavor': 'Google', server: 'Metadata Server for VM' };

/** https://cloud.google.com/compute/docs/metadata/overview */
export const metadata: LabService<GcpState> = {
  throttled: page(429, 'Too Many Requests'),
  holdMs: heldMs,
  respond: (request, state, moment) => {
    if (request.method !== 'GET') return page(405, 'Method Not Allowed');
    // It refuses whatever came through a proxy, and whatever was not sent to it by its own name or address.
    if (request.headers['x-forwarded-for'] !== undefined) return page(403, 'Forbidden');
    if (!ownHost.test(request.host)) return page(403, 'Forbidden');
    if (request.headers['metadata-flavor'] !== 'Google') return page(403, 'Missing Metadata-Flavor:Google header.');
    const url = urlOf(request);
    if (!url.pathname.startsWith(root)) return page(404, 'Not Found');
    return read(url.pathname.slice(root.length), url.searchParams, state, moment);
  },
};

function urlOf({ path }: LabRequest): URL {
  return new URL(path, 'http://metadata.google.internal');
}

const root = '/computeMetadata/v1/';
const ownHost =
  /^(?:metadata(?:\.google\.internal\.?)?|169\.254\.169\.254|\[fd20:ce::254\]|127\.0\.0\.1|localhost)(?::\d+)?$/;

/**
 * A request for a value that the caller knows is held until there is another one.
 * https://cloud.google.com/compute/docs/metadata/querying-metadata#waitforchange
 */
function heldMs(request: LabRequest, state: GcpState): number {
  const { pathname, searchParams } = urlOf(request);
  const known = searchParams.get('last_etag');
  if (searchParams.get('wait_for_change') !== 'true' || known === null) return 0;
  const path = pathname.slice(root.length);
  const value = state.metadata[path] ?? documentsOf(state)[path];
  if (value === undefined || etagOf(value) !== known) return 0;
  return Number(searchParams.get('timeout_sec') ?? longestHoldS) * 1_000;
}

/** Ours; without a limit of the caller, the real server holds for ever. */
const longestHoldS = 600;

function etagOf(body: string): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 16);
}

function read(path: string, query: URLSearchParams, state: GcpState, moment: Moment): LabResponse {
  const override = state.metadata[path];
  if (override !== undefined) return text(override);
  const credentialPath = /^instance\/service-accounts\/(?<name>[^/]+)\/(?<what>token|identity)$/.exec(path)?.groups;
  if (credentialPath !== undefined) {
    return credential(credentialPath['name'] ?? '', credentialPath['what'] === 'token', { query, state, moment });
  }
  const folder = query.get('recursive') === 'true' ? foldersOf(state)[path] : undefined;
  if (folder !== undefined) return text(JSON.stringify(folder));
  const documents = documentsOf(state);
  const document = documents[path];
  if (document !== undefined) return text(document);
  if (path === 'instance/upcoming-maintenance') return noMaintenanceYet;
  const listing = list(Object.keys(documents), path.replace(/\/?$/, '/'));
  return listing === '' ? page(404, 'Not Found') : text(listing);
}

interface MetadataCall {
  readonly query: URLSearchParams;
  readonly state: GcpState;
  readonly moment: Moment;
}

const lifeS = 3599;

function credential(name: string, isToken: boolean, { query, state, moment }: MetadataCall): LabResponse {
  const email = accountOf(name, state.instance);
  if (email === undefined) return page(404, 'Not Found');
  if (isToken) {
    const scopes = query.get('scopes')?.split(',') ?? state.instance.scopes;
    const { token, expiresIn } = issueAccessToken({ member: `serviceAccount:${email}`, scopes, lifeS }, state, moment);
    return json({ access_token: token, ...expiresIn, token_type: 'Bearer' });
  }
  const audience = query.get('audience');
  if (!audience) return page(400, 'non-empty audience parameter required');
  return text(signIdentityToken({ email, audience, full: query.get('format') === 'full' }, state, moment));
}

function accountOf(name: string, { serviceAccounts }: Instance): string | undefined {
  return name === 'default' ? serviceAccounts[0] : serviceAccounts.find((email) => email === name);
}

/** The names one level below a folder, folders among them with a slash. */
function list(names: readonly string[], folder: string): string {
  const below = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
  return [...new Set(below.map((name) => name.replace(/\/.*$/, '/')))].toSorted().join('\n');
}

function text(body: string): LabResponse {
  return { status: 200, headers: { ...head, 'content-type': 'application/text', etag: etagOf(body) }, body };
}

/** As long as there never was one. */
const noMaintenanceYet: LabResponse = {
  status: 503,
  headers: { ...head, 'content-type': 'application/json' },
  body: JSON.stringify({ error: 'no notifications have been received yet, try again later' }),
};

function json(body: object): LabResponse {
  return { status: 200, headers: { ...head, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function page(status: number, title: string): LabResponse {
  const body = `<!DOCTYPE html>\n<html lang=en>\n<title>Error ${String(status)} (${title})!!1</title>\n`;
  return { status, headers: { ...head, 'content-type': 'text/html; charset=UTF-8' }, body };
}
