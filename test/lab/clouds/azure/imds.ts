import type { LabResponse, LabRequest, Moment, LabService } from '../cloud.ts';
import { instanceDocument, loadBalancerDocument } from './imds-instance.ts';
import { scheduledEvents } from './scheduled-events.ts';
import type { AzureState, Principal } from './state.ts';
import { grantToken, json } from './tokens.ts';

/** The instance metadata service: tokens of the machine's managed identities, and what the machine is. */
export const imds: LabService<AzureState> = {
  throttled: json(429, { error: 'too_many_requests', error_description: 'Temporarily throttled, too many requests' }),
  respond: (request, state, moment) => {
    const { pathname, searchParams } = new URL(request.path, 'http://imds');
    const isStart = request.method === 'POST' && pathname === scheduledEventsPath;
    if (request.method !== 'GET' && !isStart) return json(405, { error: 'Method not allowed' });
    const refused = refuse(request);
    if (refused !== undefined) return refused;
    if (pathname === scheduledEventsPath) return scheduledEvents(request, searchParams.get('api-version'), state);
    if (pathname === '/metadata/identity/oauth2/token') return issueToken(searchParams, state, moment);
    if (pathname === '/metadata/instance') return instanceDocument(searchParams, state);
    if (pathname === '/metadata/loadbalancer') return loadBalancerDocument(searchParams, state);
    return json(404, { error: 'Not found' });
  },
};

const scheduledEventsPath = '/metadata/scheduledevents';

/** It refuses requests through a proxy and requests without the header `Metadata`. */
function refuse({ headers }: LabRequest): LabResponse | undefined {
  if (headers['x-forwarded-for'] !== undefined) return bad('Requests with X-Forwarded-For are not served');
  return headers['metadata']?.toLowerCase() === 'true' ? undefined : bad('Required metadata header not specified');
}

const lifeS = 24 * 60 * 60;
const versions = ['2018-02-01', '2019-08-01', '2020-06-01', '2021-12-13'];

function issueToken(query: URLSearchParams, state: AzureState, moment: Moment): LabResponse {
  const version = query.get('api-version') ?? '';
  if (!versions.includes(version)) return bad("Required query variable 'api-version' is missing");
  const audience = query.get('resource');
  if (!audience) return bad('Required audience parameter not specified');
  const chosen = selectIdentity(query, state);
  if (typeof chosen === 'string') return bad(chosen);
  if (!state.audiences.includes(audience.replace(/\/$/, ''))) return unknownAudience(audience, chosen.principal);
  const { token, expiresAtS } = grantToken({ ...chosen, audience, lifeS }, moment);
  return json(200, {
    access_token: token,
    client_id: chosen.clientId,
    expires_in: String(expiresAtS - Math.floor(moment.nowMs / 1000)),
    ...(moment.expiry !== 'absent' && { expires_on: String(expiresAtS) }),
    ext_expires_in: String(lifeS),
    not_before: String(Math.floor(moment.nowMs / 1000)),
    resource: audience,
    token_type: 'Bearer',
  });
}

interface SelectedIdentity {
  readonly clientId: string;
  readonly principal: Principal;
}

/** A text is the reason why no identity was selected. */
function selectIdentity(query: URLSearchParams, { principals }: AzureState): SelectedIdentity | string {
  const here = Object.entries(principals)
    .filter(([, principal]) => principal.onMachine)
    .map(([clientId, principal]) => ({ clientId, principal }));
  const filters: ReadonlyArray<(each: SelectedIdentity) => boolean> = [
    matching(query.get('client_id'), ({ clientId }) => clientId),
    matching(query.get('msi_res_id'), ({ principal }) => principal.resourceId),
    matching(query.get('object_id'), ({ principal }) => principal.objectId),
  ];
  const named = ['client_id', 'msi_res_id', 'object_id'].some((name) => query.has(name));
  const system = here.filter(({ principal }) => principal.kind === 'system');
  const candidates = named ? here.filter((each) => filters.every((fits) => fits(each))) : [...system, ...here];
  if (!named && system.length === 0 && here.length > 1) {
    return 'Multiple user assigned identities exist, please specify the clientId / resourceId of the identity in the token request';
  }
  return candidates[0] ?? 'Identity not found';
}

function matching(
  wanted: string | null,
  of: (each: SelectedIdentity) => string | undefined,
): (each: SelectedIdentity) => boolean {
  return (each) => wanted === null || of(each)?.toLowerCase() === wanted.toLowerCase();
}

function unknownAudience(audience: string, { tenantId }: Principal): LabResponse {
  const text = `AADSTS500011: The resource principal named ${audience} was not found in the tenant named ${tenantId}.`;
  return json(400, { error: 'invalid_resource', error_description: text });
}

function bad(description: string): LabResponse {
  return json(400, { error: 'invalid_request', error_description: description });
}
