import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { holderOf, permissionsOf } from './access-tokens.ts';
import { instanceDocument } from './compute-documents.ts';
import { aggregatedList, backendError } from './compute-list.ts';
import { apiError, computeError, json, wrongHostResponse } from './errors.ts';
import { selectFields } from './partial-response.ts';
import type { GcpState } from './state.ts';
import { cloudPlatform, getInstances, listInstances } from './state.ts';

/**
 * Of Compute Engine what controllers of nodes ask. https://cloud.google.com/compute/docs/reference/rest/v1
 *
 * Bodies of errors as seen at https://github.com/GoogleCloudPlatform/magic-modules/pull/4377 (not found),
 * https://github.com/hashicorp/terraform/issues/4031 (no such project) and https://github.com/hail-is/hail/pull/10613
 * (rate limit).
 */
export const compute: LabService<GcpState> = {
  throttled: computeError(
    403,
    { reason: 'rateLimitExceeded', domain: 'usageLimits', status: 'PERMISSION_DENIED' },
    "Quota exceeded for quota group 'default' and limit 'Queries per user per 100 seconds' of service 'compute.googleapis.com' for consumer 'project_number:123456789012'.",
  ),
  respond: (request, state, moment) => wrongHostResponse(request.host, 'compute') ?? answer(request, state, moment),
};

function answer(request: LabRequest, state: GcpState, moment: Moment): LabResponse {
  const url = new URL(request.path, 'https://compute.googleapis.com');
  const place = placeIn(url);
  if (request.method !== 'GET' || place === undefined) return { status: 404, headers: {}, body: '' };
  const { project, name } = place;
  const permission = name === '' ? listInstances : getInstances;
  const refusal = refusalFor(request, { project, permission }, state, moment);
  if (refusal) return refusal;
  const answered = name === '' ? aggregatedList(project, url.searchParams, state) : getInstance(place, state);
  return answered.status === 200 ? { ...answered, body: selectFields(answered.body, url.searchParams) } : answered;
}

interface Place {
  readonly project: string;
  /** Empty: all. */
  readonly zone: string;
  readonly name: string;
}

function placeIn(url: URL): Place | undefined {
  const { project, zone = '', name = '' } = path.exec(decodeURIComponent(url.pathname))?.groups ?? {};
  return project === undefined ? undefined : { project, zone, name };
}

const path =
  /^\/compute\/v1\/projects\/(?<project>[^/]+)\/(?:aggregated\/instances|zones\/(?<zone>[^/]+)\/instances\/(?<name>[^/]+))$/;
const sufficient = [
  cloudPlatform,
  'https://www.googleapis.com/auth/compute',
  'https://www.googleapis.com/auth/compute.readonly',
];

interface Wanted {
  readonly project: string;
  readonly permission: string;
}

function refusalFor(
  { headers }: LabRequest,
  { project, permission }: Wanted,
  state: GcpState,
  { nowMs }: Moment,
): LabResponse | undefined {
  const bearer = (headers['authorization'] ?? '').replace(/^Bearer /, '');
  const holder = holderOf(bearer, state, nowMs);
  if (holder === undefined) return unauthenticated;
  if (!holder.scopes.some((scope) => sufficient.includes(scope))) return insufficientScopes;
  if (!permissionsOf(holder.member, state).includes(permission)) {
    const message = `Required '${permission}' permission for 'projects/${project}'`;
    return computeError(403, { reason: 'forbidden' }, message);
  }
  return state.compute.projects.includes(project) ? undefined : notFound(`projects/${project}`);
}

/** https://cloud.google.com/compute/docs/reference/rest/v1/instances/get */
function getInstance({ project, zone, name }: Place, { compute: behaviour, computeInstances }: GcpState): LabResponse {
  if (!behaviour.zones.includes(zone)) {
    return computeError(400, { reason: 'invalid' }, `Invalid value for field 'zone': '${zone}'. Unknown zone.`);
  }
  if (behaviour.unreachableZones.includes(zone)) return backendError;
  const key = `${project}/${zone}/${name}`;
  const isHidden = behaviour.hiddenFromGet === 'all' || behaviour.hiddenFromGet.includes(key);
  const instance = isHidden ? undefined : computeInstances[key];
  if (instance === undefined) return notFound(`projects/${project}/zones/${zone}/instances/${name}`);
  return json(200, instanceDocument(instance));
}

function notFound(resource: string): LabResponse {
  return computeError(404, { reason: 'notFound' }, `The resource '${resource}' was not found`);
}

const unauthenticated = apiError(
  401,
  'UNAUTHENTICATED',
  'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.',
);

const insufficientScopes = apiError(403, 'PERMISSION_DENIED', 'Request had insufficient authentication scopes.', {
  reason: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  domain: 'googleapis.com',
  metadata: { service: 'compute.googleapis.com' },
});
