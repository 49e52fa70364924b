import { Failure } from '../../lib/failure.ts';
import { createCredentialCache } from '../../lib/credential-cache.ts';
import { apiRequest, ask, bodyJson } from '../../lib/http/ask.ts';
import type { HttpResponse } from '../../lib/http/http.ts';
import type { Context } from '../../lib/context.ts';
import { serviceFailure } from './errors.ts';
import { catalogOf } from './identity/catalog.ts';
import type { RegionCatalog, ServiceType } from './identity/catalog.ts';
import { readConnectionSettings } from './identity/connection-settings.ts';
import type { SettingsInputs, SettingsSelection } from './identity/connection-settings.ts';
import { connectionOf } from './identity/connection.ts';
import type { Connection } from './identity/connection.ts';
import { requestToken } from './identity/keystone.ts';
import type { ProjectToken } from './identity/keystone.ts';

/** One project in one region, for many requests. It keeps the token. */
export interface OpenstackSession {
  place(context: Context): Promise<ProjectPlace>;
  /**
   * Sends once, and once more with a new token if the first one is refused. Throws a `Failure` for every response other
   * than 200 and 404.
   */
  send(request: ServiceRequest, context: Context): Promise<ServiceResponse>;
}

/** Where the token is valid, and whose requests it signs. */
export interface ProjectPlace {
  readonly projectId: string;
  readonly region: string;
}

export interface ServiceRequest {
  readonly service: ServiceType;
  /** Below the service's endpoint, with its query. */
  readonly path: string;
  /** The policy rule that it needs. */
  readonly action: string;
  /** The role that allows it. */
  readonly role: string;
  readonly method?: 'GET' | 'PUT';
  readonly body?: unknown;
  /** The change is only for this revision of the resource. */
  readonly ifMatch?: string;
}

export type ServiceResponse =
  | { readonly is: 'answer'; readonly json: unknown; readonly target: string; readonly place: ProjectPlace }
  /** HTTP 404. `response` shows whether the service itself said so. */
  | {
      readonly is: 'missing';
      readonly response: HttpResponse;
      readonly place: ProjectPlace;
      readonly failure: Failure;
    };

export interface SessionSelection extends SettingsSelection {
  /** Of our configuration. Absent: that of the credentials, or the only one of the catalog. */
  readonly region: string | undefined;
  /** Credentials of another project are refused. */
  readonly projectId: string | undefined;
}

interface OpenToken extends ProjectToken {
  readonly connection: Connection;
  readonly catalogOfRegion: RegionCatalog;
}

/** A page of a list has up to 1,000 servers, with some 3 KB each, or more with much metadata. */
const bodyBytes = 64 * 1024 * 1024;

export function openSession(selection: SessionSelection, inputs: SettingsInputs): OpenstackSession {
  // The files are read again for each token, so credentials can be replaced without a restart.
  const tokens = createCredentialCache(async (context): Promise<OpenToken> => {
    const connection = await connectionOf(
      await readConnectionSettings(selection, inputs),
      selection.region,
      inputs.host,
    );
    const token = await requestToken(connection, context);
    checkProject(token, selection, connection);
    return { ...token, connection, catalogOfRegion: catalogOf(token.catalog, connection) };
  });

  async function renewed(refused: OpenToken, context: Context): Promise<OpenToken> {
    const latest = await tokens.get(context);
    if (latest !== refused) return latest;
    tokens.invalidate();
    return tokens.get(context);
  }

  async function send(request: ServiceRequest, context: Context): Promise<ServiceResponse> {
    const token = await tokens.get(context);
    const response = await sendWith(token, request, context);
    if (response.status !== 401) return responseOf(response, token, { request, context });
    const next = await renewed(token, context);
    return responseOf(await sendWith(next, request, context), next, { request, context });
  }

  return {
    place: (context) => inTime(async () => placeOfToken(await tokens.get(context)), context),
    send: (request, context) => inTime(() => send(request, context), context),
  };
}

/** The end of the look-up's time takes no result away that was there before. */
async function inTime<T>(work: () => Promise<T>, context: Context): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure || !context.signal.aborted) throw error;
    throw new Failure('unavailable', 'the time was over before OpenStack had answered', {
      remedy: 'it is asked again; if this stays, check the way to the cloud and its health',
      cause: error,
    });
  }
}

function checkProject(
  { projectId }: ProjectToken,
  { projectId: wanted }: SessionSelection,
  { source }: Connection,
): void {
  if (wanted === undefined || wanted === projectId) return;
  throw new Failure('misconfigured', `the credentials of ${source} are for another project than projectId`, {
    remedy: 'correct projectId in openstack.scopes of the configuration, or the credentials',
  });
}

const microversion = 'compute 2.60';

function sendWith(
  { token, catalogOfRegion, connection: { trustOnly } }: OpenToken,
  { service, path, method = 'GET', body, ifMatch }: ServiceRequest,
  context: Context,
): Promise<HttpResponse> {
  const url = new URL(`${catalogOfRegion.endpoint(service).href.replace(/\/$/, '')}${path}`);
  return ask(
    {
      ...apiRequest,
      target: url.host,
      method,
      url,
      headers: {
        accept: 'application/json',
        'x-auth-token': token.reveal(),
        // https://docs.openstack.org/nova/latest/reference/api-microversion-history.html (maximum in Queens)
        ...(service === 'compute' && { 'openstack-api-version': microversion }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      },
      limits: { ...apiRequest.limits, bodyBytes },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(trustOnly !== undefined && { trustOnly }),
    },
    context,
  );
}

function responseOf(
  response: HttpResponse,
  token: OpenToken,
  { request, context }: { readonly request: ServiceRequest; readonly context: Context },
): ServiceResponse {
  const target = token.catalogOfRegion.endpoint(request.service).host;
  const place = placeOfToken(token);
  if (response.status === 200) return { is: 'answer', json: bodyJson(response, target), target, place };
  const call = { target, as: token.connection.source, action: request.action, remedyWhenDenied: grant(request) };
  const failure = serviceFailure(response, call, context.clock.wallMs());
  if (response.status === 404) return { is: 'missing', response, place, failure };
  throw failure;
}

function grant({ role }: ServiceRequest): string {
  return `grant the role ${role} in the project; where a policy has other rules, one that allows it`;
}

function placeOfToken({ projectId, catalogOfRegion: { region } }: OpenToken): ProjectPlace {
  return { projectId, region };
}
