import { createCredentialCache } from '../../../lib/credential-cache.ts';
import { apiRequest, ask, bodyText } from '../../../lib/http/ask.ts';
import type { HttpResponse } from '../../../lib/http/http.ts';
import { Failure } from '../../../lib/failure.ts';
import { parseJson } from '../../../lib/json.ts';
import type { Context } from '../../../lib/context.ts';
import { resourceManagerOf } from '../endpoints.ts';
import { tokenSourceFor } from '../identity/resolve-identity.ts';
import type { AzureSettings } from '../identity/resolve-identity.ts';
import { errorIn, notItsFormat, resourceManagerFailure } from '../resource-manager-errors.ts';
import { ResourcePage } from '../schemas.ts';
import { openResourceList } from './resource-list.ts';
import type { ResourceList } from './resource-list.ts';
import type { SubscriptionScope } from './scopes.ts';

/** The Resource Manager, for many requests of one scope. It keeps the token. */
export interface ResourceManager {
  /** Throws a `Failure` if there is no whole response, or another than these two. */
  get(resourceId: string, query: Readonly<Record<string, string>>, context: Context): Promise<ResourceResponse>;
  /** The resources of all pages. Throws a `Failure` if one of them cannot be read. */
  list(path: string, query: Readonly<Record<string, string>>, context: Context): Promise<readonly unknown[]>;
}

export interface PagedResourceManager extends ResourceManager {
  /** A list that one look-up may begin and another one finish, with the part of each resource that is kept of it. */
  openList<T>(
    path: string,
    query: Readonly<Record<string, string>>,
    keep: (resource: unknown) => readonly T[],
  ): ResourceList<T>;
}

export type ResourceResponse =
  | { readonly is: 'answer'; readonly body: unknown; readonly target: string }
  /** The Resource Manager itself answered HTTP 400 or 404, with this code. */
  | { readonly is: 'error'; readonly error: ResourceError; readonly failure: Failure };

export interface ResourceError {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export const computeVersion = '2024-07-01';

export function openResourceManager(
  scope: Pick<SubscriptionScope, 'config'>,
  settings: AzureSettings,
): PagedResourceManager {
  const { url: base, azureCloud } = resourceManagerOf(settings.config);
  const select = scope.config?.nodeIdentity;
  const as = { kind: 'node' as const, ...(select !== undefined && { select }) };
  const tokens = createCredentialCache(async (context) =>
    tokenSourceFor(as, azureCloud, settings)(base.origin, context),
  );
  const target = base.host;

  async function sendOnce(url: URL, bodyBytes: number, context: Context): Promise<ResourceResponse> {
    const token = await tokens.get(context);
    const headers = { authorization: `Bearer ${token.token.reveal()}`, accept: 'application/json' };
    const limits = { ...apiRequest.limits, bodyBytes };
    const response = await ask({ ...apiRequest, limits, target, method: 'GET', url, headers }, context);
    if (response.status === 401) tokens.invalidate();
    return read(response, { target, as: token.source }, context.clock.wallMs());
  }

  /** The end of the look-up's time takes no result away that was there before. */
  async function send(url: URL, bodyBytes: number, context: Context): Promise<ResourceResponse> {
    try {
      return await sendOnce(url, bodyBytes, context);
    } catch (error) {
      if (error instanceof Failure || !context.signal.aborted) throw error;
      throw tooLate(target, error);
    }
  }

  function urlOf(path: string, query: Readonly<Record<string, string>>): URL {
    const url = new URL(encodeURI(path), base);
    url.search = new URLSearchParams(query).toString();
    return url;
  }

  async function readPage(url: URL, context: Context): Promise<ResourcePage> {
    const response = await send(url, pageBytes, context);
    if (response.is === 'error') throw response.failure;
    const page = ResourcePage.safeParse(response.body);
    if (page.success) return page.data;
    throw notItsFormat(target);
  }

  const openList: PagedResourceManager['openList'] = (path, query, keep) =>
    openResourceList({ first: urlOf(path, query), readPage, keep });

  return {
    get: (resourceId, query, context) => send(urlOf(resourceId, query), resourceBytes, context),
    list: async (path, query, context) => {
      const { resources, readRest } = openList(path, query, (resource) => [resource]);
      await readRest(context);
      return resources;
    },
    openList,
  };
}

const resourceBytes = 1_000_000;
const pageBytes = 64_000_000;

function read(
  response: HttpResponse,
  call: { readonly target: string; readonly as: string },
  wallMs: number,
): ResourceResponse {
  const body = parseJson(bodyText(response));
  const error = errorIn(body);
  if (response.status === 200) {
    const isResource = error === undefined && typeof body === 'object' && body !== null;
    if (isResource) return { is: 'answer', body, target: call.target };
    throw notItsFormat(call.target);
  }
  const failure = resourceManagerFailure(response, call, wallMs);
  const isAboutResource = response.status === 400 || response.status === 404;
  if (!isAboutResource || error === undefined || !isFromResourceManager(response)) throw asUncertain(failure);
  const { code, message = '' } = error;
  return { is: 'error', error: { status: response.status, code, message }, failure: asUncertain(failure) };
}

/**
 * It gives each of its responses an id. A gateway that answers 404 in its place does not.
 * https://learn.microsoft.com/azure/azure-resource-manager/management/request-limits-and-throttling
 */
function isFromResourceManager({ headers }: HttpResponse): boolean {
  return headers['x-ms-correlation-request-id'] !== undefined;
}

function tooLate(target: string, cause: unknown): Failure {
  return new Failure('unavailable', `the time of the look-up was over before ${target} had answered`, {
    remedy: 'it is asked again; if this stays, check the way to the cloud and its health',
    cause,
  });
}

/** Only a whole chain of responses proves that a machine does not exist. A single failure never does. */
function asUncertain(failure: Failure): Failure {
  if (failure.kind !== 'not-found') return failure;
  return new Failure('unavailable', failure.message, { remedy: failure.remedy, cause: failure.cause });
}
