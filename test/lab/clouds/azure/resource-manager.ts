import { randomUUID } from 'node:crypto';
import type { LabRequest, LabResponse, LabService, Moment } from '../cloud.ts';
import { documentsOf } from './resource-documents.ts';
import { listAt, scaleSetDocuments, scaleSetsOf } from './resource-lists.ts';
import type { ResourceListQuery } from './resource-lists.ts';
import type { AzureState } from './state.ts';
import { holderOf, json } from './tokens.ts';
import type { TokenHolder } from './tokens.ts';
import type { ResourceManagerState } from './virtual-machine.ts';

/** Of the Resource Manager what controllers of nodes read. It compares names without regard to case. */
export const resourceManager: LabService<AzureState> = {
  throttled: identified(
    error(429, 'TooManyRequests', 'The request is being throttled as the limit has been reached for the operation.'),
  ),
  respond: (request, state, moment) => identified(respond(request, state, moment)),
};

/** Each response has an id of its own, also an error. */
function identified(response: LabResponse): LabResponse {
  const id = randomUUID();
  const headers = { 'x-ms-request-id': id, 'x-ms-correlation-request-id': id };
  return { ...response, headers: { ...response.headers, ...headers } };
}

/** Codes and texts: https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors */
function error(status: number, code: string, message: string): LabResponse {
  return json(status, { error: { code, message } });
}

interface Path {
  readonly subscriptionId: string;
  readonly group: string | undefined;
  readonly rest: string | undefined;
}

const pathPattern =
  /^\/subscriptions\/(?<subscriptionId>[^/]+)(?:\/providers\/.+|\/resourcegroups\/(?<group>[^/]+)(?<rest>\/providers\/.+)?)?$/;

function respond(request: LabRequest, state: AzureState, moment: Moment): LabResponse {
  const { pathname, searchParams: query } = new URL(request.path, 'https://management');
  if (request.method !== 'GET') return error(405, 'MethodNotAllowed', 'The method is not allowed.');
  const holder = bearerIn(request, moment);
  if (typeof holder === 'string') return error(401, holder, 'The token is missing, expired or for others.');
  if (!query.has('api-version')) {
    return error(400, 'MissingApiVersionParameter', 'The api-version query parameter (?api-version=) is required.');
  }
  const path = decodeURIComponent(pathname).toLowerCase();
  const { subscriptionId, group, rest } = (pathPattern.exec(path)?.groups ?? {}) as Partial<Path>;
  if (subscriptionId === undefined) return error(404, 'InvalidResourceType', 'The resource type could not be found.');
  const parts = { subscriptionId, group, rest };
  return (
    refuse({ subscriptionId, path, holder }, state) ??
    refuseGroup(parts, state.resourceManager) ??
    listOrResource(parts, { path, query, host: request.host }, state)
  );
}

function listOrResource(parts: Path, asked: ResourceListQuery, state: AzureState): LabResponse {
  const list = listAt(asked, state.resourceManager);
  if (list !== undefined) return json(200, list);
  return resourceAt(parts, { path: asked.path, expand: asked.query.get('$expand') ?? '' }, state);
}

/** If the group does not exist, or the scale set that is a part of the path. */
function refuseGroup({ subscriptionId, group, rest = '' }: Path, known: ResourceManagerState): LabResponse | undefined {
  if (group === undefined) return undefined;
  if (groupIdOf({ subscriptionId, group }, known) === undefined) {
    return error(404, 'ResourceGroupNotFound', `Resource group '${group}' could not be found.`);
  }
  const scaleSet = /\/virtualmachinescalesets\/(?<name>[^/]+)\//.exec(rest)?.groups?.['name'];
  const sets = [...scaleSetsOf(known.machines).keys()].map((id) => id.toLowerCase());
  const isKnown = sets.some((id) => id.endsWith(`/virtualmachinescalesets/${scaleSet ?? ''}`));
  if (scaleSet === undefined || isKnown) return undefined;
  const text = `Can not perform requested operation on nested resource. Parent resource '${scaleSet}' not found.`;
  return error(404, 'ParentResourceNotFound', text);
}

function groupIdOf(
  { subscriptionId, group }: Pick<Path, 'subscriptionId' | 'group'>,
  { resourceGroups }: ResourceManagerState,
): string | undefined {
  const wanted = `/subscriptions/${subscriptionId}/resourcegroups/${group ?? ''}`;
  return resourceGroups.find((each) => each.toLowerCase() === wanted);
}

/** A text is the code of the refusal. */
function bearerIn({ headers, host }: LabRequest, { nowMs }: Moment): TokenHolder | string {
  const token = /^Bearer (?<token>\S+)$/.exec(headers['authorization'] ?? '')?.groups?.['token'];
  const holder = token === undefined ? undefined : holderOf(token, nowMs);
  if (holder === undefined) return 'AuthenticationFailed';
  const isForUs = holder.audience.startsWith('https://management.') || holder.audience === `https://${host}`;
  return isForUs ? holder : 'InvalidAuthenticationToken';
}

interface Asked {
  readonly subscriptionId: string;
  readonly path: string;
  readonly holder: TokenHolder;
}

function refuse(
  { subscriptionId, path, holder }: Asked,
  { resourceManager: known }: AzureState,
): LabResponse | undefined {
  const subscription = known.subscriptions[subscriptionId];
  if (subscription === undefined) {
    return error(404, 'SubscriptionNotFound', `The subscription '${subscriptionId}' could not be found.`);
  }
  if (subscription.tenantId !== holder.tenantId) {
    const issuer = `https://sts.windows.net/${holder.tenantId}/`;
    return error(
      401,
      'InvalidAuthenticationTokenTenant',
      `The access token is from the wrong issuer '${issuer}'. It must match the tenant associated with this subscription.`,
    );
  }
  if (known.readers.includes(holder.objectId)) return undefined;
  return error(
    403,
    'AuthorizationFailed',
    `The client '${holder.clientId}' with object id '${holder.objectId}' does not have authorization to perform action over scope '${path}'.`,
  );
}

function resourceAt(
  { subscriptionId, group, rest }: Path,
  { path, expand }: { readonly path: string; readonly expand: string },
  { resourceManager: known }: AzureState,
): LabResponse {
  if (group === undefined) {
    if (path.endsWith('/providers/microsoft.compute')) return json(200, computeProvider(subscriptionId));
    if (path.includes('/providers/')) return error(404, 'InvalidResourceType', 'The resource type could not be found.');
    return json(200, { id: `/subscriptions/${subscriptionId}`, subscriptionId, displayName: 'Lab', state: 'Enabled' });
  }
  if (rest === undefined) {
    const id = groupIdOf({ subscriptionId, group }, known);
    const name = id?.split('/').at(-1);
    return json(200, { id, name, location: 'westeurope', properties: { provisioningState: 'Succeeded' } });
  }
  const visible = known.machines.filter(({ id }) => !known.hiddenFromGet.includes(id));
  const documents = [...visible.map(documentsOf), scaleSetDocuments(known)];
  const document = documents.find((each) => each.has(path))?.get(path);
  if (document !== undefined) return json(200, document(expand));
  const [, resource = ''] = rest.split('/providers/');
  return error(404, 'ResourceNotFound', `The Resource '${resource}' under resource group '${group}' was not found.`);
}

/** Where machines can be. https://learn.microsoft.com/rest/api/resources/providers/get */
function computeProvider(subscriptionId: string): object {
  const location = 'West Europe';
  const zoneMappings = [{ location, zones: ['1', '2', '3'] }];
  return {
    id: `/subscriptions/${subscriptionId}/providers/Microsoft.Compute`,
    namespace: 'Microsoft.Compute',
    resourceTypes: [{ resourceType: 'virtualMachines', locations: [location], zoneMappings }],
    registrationState: 'Registered',
  };
}
