import type { LabResponse, LabService, Moment } from '../cloud.ts';
import { bodies, errorBody, queries } from './contract.ts';
import type { Operation } from './contract.ts';
import { dropletDocument } from './documents.ts';
import { issueLogin } from './state.ts';
import type { DigitaloceanState, LabToken } from './state.ts';

/** https://docs.digitalocean.com/reference/api/digitalocean/ */
export const api: LabService<DigitaloceanState> = {
  throttled: error(429, 'too_many_requests', 'API rate limit exceeded.'),
  respond: (request, state, moment) => {
    if (!ownHost.test(request.host)) return { status: 421, headers: {}, body: `${request.host} is not the API` };
    const token = state.tokens[bearerPattern.exec(request.headers['authorization'] ?? '')?.groups?.['token'] ?? ''];
    if (token === undefined) return error(401, 'unauthorized', 'Unable to authenticate you');
    const url = new URL(request.path, 'https://api.digitalocean.com');
    const route = request.method === 'GET' ? routes.find(({ path }) => path.test(url.pathname)) : undefined;
    return route === undefined ? notFound : answer(route, url, { token, state, moment });
  },
};

const ownHost = /^(?:api\.digitalocean\.com|127\.0\.0\.1)(?::\d+)?$/;
const bearerPattern = /^Bearer (?<token>.+)$/;

function answer({ operation, path, scope, respond }: Route, url: URL, caller: Caller): LabResponse {
  if (!caller.token.scopes.includes(scope)) {
    return error(403, 'forbidden', 'You are not authorized to perform this operation');
  }
  const query = Object.fromEntries(url.searchParams);
  const refusal = queries[operation].safeParse(query).error;
  if (refusal !== undefined) return error(422, 'unprocessable_entity', refusal.message);
  return checked(respond({ name: path.exec(url.pathname)?.groups?.['name'] ?? '', query, ...caller }), operation);
}

interface Caller {
  readonly token: LabToken;
  readonly state: DigitaloceanState;
  readonly moment: Moment;
}

interface ApiCall extends Caller {
  readonly name: string;
  readonly query: Readonly<Record<string, string>>;
}

interface Route {
  readonly operation: Operation;
  readonly path: RegExp;
  readonly scope: string;
  respond(call: ApiCall): LabResponse;
}

const routes: readonly Route[] = [
  { operation: 'droplets_list', path: /^\/v2\/droplets$/, scope: 'droplet:read', respond: listDroplets },
  {
    operation: 'droplets_get',
    path: /^\/v2\/droplets\/(?<name>[1-9]\d*)$/,
    scope: 'droplet:read',
    respond: getDroplet,
  },
  {
    operation: 'registries_get_dockerCredentials',
    path: /^\/v2\/registries\/(?<name>[a-z0-9-]{1,63})\/docker-credentials$/,
    scope: 'registry:read',
    respond: dockerCredentials,
  },
];

const notFound = error(404, 'not_found', 'The resource you were accessing could not be found.');

/** Only Droplets without a GPU, unless the others are asked for. */
function listDroplets({ query, token: { team }, state }: ApiCall): LabResponse {
  const isGpu = query['type'] === 'gpus';
  const [page, perPage] = [Number(query['page'] ?? 1), Number(query['per_page'] ?? 20)];
  const all = Object.values(state.droplets)
    .filter((each) => each.team === team && each.isGpu === isGpu)
    .filter(({ name }) => query['name'] === undefined || name.toLowerCase() === query['name'].toLowerCase())
    .toSorted((a, b) => a.id - b.id);
  const last = Math.max(1, Math.ceil(all.length / perPage));
  const to = (number: number): string => `https://api.digitalocean.com/v2/droplets?page=${number}&per_page=${perPage}`;
  const pages = {
    ...(page > 1 && { first: to(1), prev: to(page - 1) }),
    ...(page < last && { next: to(page + 1), last: to(last) }),
  };
  return json(200, {
    droplets: all.slice((page - 1) * perPage, page * perPage).map(dropletDocument),
    links: last > 1 ? { pages } : {},
    meta: { total: all.length },
  });
}

function getDroplet({ name, token: { team }, state }: ApiCall): LabResponse {
  const droplet = state.droplets[name];
  return droplet?.team === team ? json(200, { droplet: dropletDocument(droplet) }) : notFound;
}

/** Without a time, or with 0, the login is valid for ever. */
function dockerCredentials({ name, query, token: { team }, state, moment: { nowMs } }: ApiCall): LabResponse {
  if (state.registries[name] !== team) return notFound;
  const seconds = Number(query['expiry_seconds'] ?? 0);
  const expiresAtMs = seconds === 0 ? null : nowMs + seconds * 1_000;
  const login = issueLogin({ registry: name, isReadOnly: query['read_write'] !== 'true', expiresAtMs }, state);
  return json(200, { auths: { 'registry.digitalocean.com': { auth: Buffer.from(login).toString('base64') } } });
}

/** Whatever the embedded API answers must be what the real one promises. */
function checked(response: LabResponse, operation: Operation): LabResponse {
  const schema = response.status === 200 ? bodies[operation] : errorBody;
  schema.parse(JSON.parse(response.body));
  return response;
}

function error(status: number, id: string, message: string): LabResponse {
  return json(status, { id, message });
}

function json(status: number, body: object): LabResponse {
  const limits = { 'ratelimit-limit': '5000', 'ratelimit-remaining': '4816', 'ratelimit-reset': '1444931833' };
  const headers = { 'content-type': 'application/json; charset=utf-8', ...limits };
  return { status, headers, body: JSON.stringify(body) };
}
