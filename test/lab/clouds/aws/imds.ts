import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { markedSecret } from '../secrets.ts';
import { documentsOf } from './imds-documents.ts';
import type { AwsState } from './state.ts';

/** The instance metadata service, version 2; version 1 as well where the instance has tokens optional. */
export const imds: LabService<AwsState> = {
  throttled: page(429, 'Too Many Requests'),
  respond: (request, state, moment) => {
    const path = request.path.split('?')[0]?.replaceAll(/\/{2,}/g, '/') ?? '';
    if (path === '/latest/api/token') return issueSessionToken(request, state, moment);
    if (request.method !== 'GET' && request.method !== 'HEAD') return page(405, 'Method Not Allowed');
    if (!mayRead(request, state, moment)) return page(401, 'Unauthorized');
    return read(path, state, moment);
  },
};

const ttlHeader = 'x-aws-ec2-metadata-token-ttl-seconds';
const tokenHeader = 'x-aws-ec2-metadata-token';
const longestTtlS = 6 * 60 * 60;

function issueSessionToken(request: LabRequest, state: AwsState, { nowMs }: Moment): LabResponse {
  if (request.method !== 'PUT') return page(405, 'Method Not Allowed');
  // It refuses whatever came through a proxy, and with that most requests that someone else was tricked into sending.
  if (request.headers['x-forwarded-for'] !== undefined) return page(403, 'Forbidden');
  const ttl = request.headers[ttlHeader] ?? '';
  const ttlS = /^\d+$/.test(ttl) ? Number(ttl) : 0;
  if (ttlS < 1 || ttlS > longestTtlS) return page(400, 'Bad Request');
  const token = markedSecret('AQAEA', 56);
  state.metadataTokens[token] = nowMs + ttlS * 1000;
  return text(token, { [ttlHeader]: String(ttlS) });
}

function mayRead({ headers }: LabRequest, state: AwsState, { nowMs }: Moment): boolean {
  const token = headers[tokenHeader];
  if (token === undefined) return state.instance.httpTokens === 'optional';
  return (state.metadataTokens[token] ?? 0) > nowMs;
}

function read(path: string, state: AwsState, moment: Moment): LabResponse {
  if (!path.startsWith('/latest/')) return notFound;
  const documents = documentsOf(state, moment);
  const name = path.slice('/latest/'.length);
  const document = documents[name] ?? documents[`${name}/`] ?? documents[name.replace(/\/$/, '')];
  if (document !== undefined) return text(typeof document === 'string' ? document : document(), {});
  const listing = list(Object.keys(documents), name.replace(/\/?$/, '/'));
  return listing === '' ? notFound : text(listing, {});
}

/** The names one level below a folder, folders among them with a slash. */
function list(names: readonly string[], folder: string): string {
  const below = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length));
  const entries = below.map((name) => name.replace(/\/.*$/, '/')).filter((name) => name !== '');
  return [...new Set(entries)].toSorted().join('\n');
}

function text(body: string, headers: Readonly<Record<string, string>>): LabResponse {
  return { status: 200, headers: { 'content-type': 'text/plain', server: 'EC2ws', ...headers }, body };
}

function page(status: number, title: string): LabResponse {
  const body = `<?xml version="1.0"?>\n<html><head><title>${String(status)} - ${title}</title></head></html>\n`;
  return { status, headers: { 'content-type': 'text/html', server: 'EC2ws' }, body };
}

const notFound = page(404, 'Not Found');
