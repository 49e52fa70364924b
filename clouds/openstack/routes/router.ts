import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Route } from '../../cloud.ts';
import { RouterResponse } from '../schemas.ts';
import type { OpenstackSession, ServiceRequest } from '../session.ts';

/**
 * All extra routes of a router. Neutron keeps no mark of who made one.
 * https://docs.openstack.org/api-ref/network/v2/#show-router-details
 */
export async function listExtraRoutes(
  routerId: string,
  session: OpenstackSession,
  context: Context,
): Promise<readonly Route[]> {
  const request = { service: 'network', path: pathOf(routerId), action: 'get_router', role: 'reader' } as const;
  const json = await send(request, session, context);
  const parsed = RouterResponse.safeParse(json);
  if (!parsed.success) throw wrongFormat();
  return parsed.data.router.routes.map(({ destination, nexthop }) => ({
    podCidr: destination,
    nextHop: nexthop,
    owner: 'unmarked',
    blackhole: false,
  }));
}

/**
 * Neutron changes all of them or none, and leaves other routes alone. A route that is there is not added twice, and one
 * that is not there is no error. https://docs.openstack.org/api-ref/network/v2/#add-extra-routes-to-router
 */
export async function changeExtraRoutes(
  change: 'add_extraroutes' | 'remove_extraroutes',
  { routerId, routes }: { readonly routerId: string; readonly routes: readonly Route[] },
  session: OpenstackSession,
  context: Context,
): Promise<void> {
  const body = {
    router: { routes: routes.map(({ podCidr, nextHop }) => ({ destination: podCidr, nexthop: nextHop })) },
  };
  const path = `${pathOf(routerId)}/${change}`;
  await send({ service: 'network', method: 'PUT', path, body, action: change, role: 'member' }, session, context);
}

async function send(request: ServiceRequest, session: OpenstackSession, context: Context): Promise<unknown> {
  const response = await session.send(request, context);
  if (response.is === 'answer') return response.json;
  throw new Failure('misconfigured', `Neutron has no such router, or does not support ${request.action} on it`, {
    remedy: 'check routerId in the configuration, and that Neutron has the extension extraroute-atomic',
    cause: response.failure,
  });
}

function pathOf(routerId: string): string {
  return `/v2.0/routers/${routerId}`;
}

function wrongFormat(): Failure {
  return new Failure('invalid-response', 'Neutron answered with something that is not a router', {
    remedy: 'check that the catalog names Neutron, and that no proxy answers in its place',
  });
}
