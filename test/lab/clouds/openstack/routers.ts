import type { LabRequest, LabResponse } from '../cloud.ts';
import { canRead, json, networkError } from './responses.ts';
import type { LabAddressPair, LabPort, LabRouter } from './server.ts';
import type { IssuedToken, OpenstackState } from './state.ts';

/** Of every port. */
export const labMac = 'fa:16:3e:00:00:01';

const notFound = networkError(404, 'RouterNotFound', 'Router could not be found');
const denied = networkError(403, 'PolicyNotAuthorized', 'The request is disallowed by policy.');

/** Shows a router, and changes its extra routes: https://docs.openstack.org/api-ref/network/v2/#routers-routers */
export function respondOfRouter(request: LabRequest, holder: IssuedToken, state: OpenstackState): LabResponse {
  const [, , , id = '', action] = request.path.replace(/\?.*$/, '').split('/');
  const router = state.routers[id];
  if (router?.projectId !== holder.projectId || !canRead(holder)) return notFound;
  if (request.method === 'GET') return routerResponse(id, router);
  if (!holder.roles.includes('member')) return denied;
  const { routes } = (JSON.parse(request.body) as { router: Pick<LabRouter, 'routes'> }).router;
  const isGiven = (each: LabRouter['routes'][number]): boolean =>
    routes.some(({ destination, nexthop }) => destination === each.destination && nexthop === each.nexthop);
  const others = router.routes.filter((each) => !isGiven(each));
  if (action === 'remove_extraroutes') return setRoutes(id, others, state);
  const unknown = routes.find(({ nexthop }) => !isReachable(nexthop));
  if (unknown === undefined) return setRoutes(id, [...others, ...routes], state);
  const message = `Invalid format for routes: ${unknown.nexthop}, the nexthop is not connected with router`;
  return networkError(400, 'InvalidRoutes', message);
}

/** The networks of the lab's servers. */
function isReachable(address: string): boolean {
  return address.startsWith('10.') || address.startsWith('fd');
}

function setRoutes(id: string, routes: LabRouter['routes'], state: OpenstackState): LabResponse {
  const router = state.routers[id];
  if (router === undefined) return notFound;
  const changed = { ...router, routes };
  state.routers[id] = changed;
  return routerResponse(id, changed);
}

function routerResponse(id: string, { projectId, routes }: LabRouter): LabResponse {
  return json(200, { router: { id, name: 'pods', project_id: projectId, status: 'ACTIVE', routes } });
}

/** Of the attributes only the allowed address pairs. */
export function updatePort(request: LabRequest, holder: IssuedToken, state: OpenstackState): LabResponse {
  const id = /^\/v2\.0\/ports\/([\w-]+)$/.exec(request.path)?.[1] ?? '';
  const port = state.ports[id];
  if (port?.projectId !== holder.projectId) return networkError(404, 'PortNotFound', 'Port could not be found.');
  if (!holder.roles.includes('member')) return denied;
  return setPairs(port, request, state);
}

function setPairs(port: LabPort, { headers, body }: LabRequest, state: OpenstackState): LabResponse {
  const { revision = 1 } = port;
  const wanted = headers['if-match'];
  if (wanted !== undefined && wanted !== `revision_number=${String(revision)}`) {
    return networkError(412, 'RevisionNumberConstraintFailed', 'Constrained to another revision');
  }
  const given = JSON.parse(body) as { port: { allowed_address_pairs: readonly Partial<LabAddressPair>[] } };
  const pairs = given.port.allowed_address_pairs;
  if (port.portSecurity === false && pairs.length > 0) {
    return networkError(409, 'AddressPairAndPortSecurityRequired', 'Port Security must be enabled.');
  }
  const allowedPairs = pairs.map(({ ip_address = '', mac_address = labMac }) => ({ ip_address, mac_address }));
  const changed = { ...port, allowedPairs, revision: revision + 1 };
  state.ports[port.id] = changed;
  return json(200, { port: changedDocument(changed) });
}

function changedDocument({ id, networkId, addresses, allowedPairs, revision }: LabPort): object {
  return {
    id,
    network_id: networkId,
    mac_address: labMac,
    allowed_address_pairs: allowedPairs,
    fixed_ips: addresses.map((address) => ({ subnet_id: 'd0000000-0000-4000-8000-000000000001', ip_address: address })),
    port_security_enabled: true,
    revision_number: revision,
  };
}
