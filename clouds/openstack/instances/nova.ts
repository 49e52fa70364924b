import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import { bodyText } from '../../../lib/http/ask.ts';
import { parseJson } from '../../../lib/json.ts';
import { nextMarker } from '../pages.ts';
import { ItemNotFound, NovaServer, ServerIdsPage, ServerResponse, ServersPage } from '../schemas.ts';
import type { OpenstackSession, ProjectPlace, ServiceRequest } from '../session.ts';

/** What Nova answers to a request for one server. */
export type ShownServer =
  | { readonly is: 'server'; readonly server: NovaServer; readonly place: ProjectPlace }
  | { readonly is: 'missing'; readonly evidence: string; readonly place: ProjectPlace };

const requests = {
  show: { service: 'compute', action: 'os_compute_api:servers:show', role: 'reader' },
  index: { service: 'compute', action: 'os_compute_api:servers:index', role: 'reader' },
  detail: { service: 'compute', action: 'os_compute_api:servers:detail', role: 'reader' },
} as const satisfies Record<string, Omit<ServiceRequest, 'path'>>;

/** https://docs.openstack.org/api-ref/compute/#show-server-details */
export async function showServer(id: string, session: OpenstackSession, context: Context): Promise<ShownServer> {
  const response = await session.send({ ...requests.show, path: `/servers/${id}` }, context);
  if (response.is === 'missing') {
    const text = parseJson(bodyText(response.response));
    // Only Nova's own sentence about this very id counts: a 404 can also come from a proxy.
    const fault = ItemNotFound.safeParse(text);
    if (!fault.success || !fault.data.itemNotFound.message.includes(id)) throw response.failure;
    return { is: 'missing', evidence: `itemNotFound: Instance ${id} could not be found`, place: response.place };
  }
  const parsed = ServerResponse.safeParse(response.json);
  const server = parsed.success ? NovaServer.safeParse(parsed.data.server) : undefined;
  if (server?.success === true && server.data.id === id) {
    return { is: 'server', server: server.data, place: response.place };
  }
  throw notNova(response.target, `the server ${id}`);
}

/** One page. A server that cannot be read is left out, so it is requested by its id. */
export interface NovaServerPage {
  readonly servers: readonly NovaServer[];
  /** The id after which the next page begins; `undefined`: this is the last page. */
  readonly next: string | undefined;
}

/** https://docs.openstack.org/api-ref/compute/#list-servers-detailed */
export async function listServers(
  query: Readonly<Record<string, string>>,
  session: OpenstackSession,
  context: Context,
): Promise<NovaServerPage> {
  const path = `/servers/detail?${new URLSearchParams(query).toString()}`;
  const response = await session.send({ ...requests.detail, path }, context);
  if (response.is === 'missing') throw response.failure;
  const page = ServersPage.safeParse(response.json);
  if (!page.success) throw notNova(response.target, 'a list of servers');
  const servers = page.data.servers.flatMap((each) => {
    const server = NovaServer.safeParse(each);
    return server.success ? [server.data] : [];
  });
  return { servers, next: nextMarker(page.data.servers_links) };
}

/** One page of all servers of the project, by their ids. */
export interface ServerIdPage {
  readonly ids: readonly string[];
  readonly next: string | undefined;
  readonly place: ProjectPlace;
}

/** Much less work for Nova than their details. https://docs.openstack.org/api-ref/compute/#list-servers */
export async function listServerIds(
  query: Readonly<Record<string, string>>,
  session: OpenstackSession,
  context: Context,
): Promise<ServerIdPage> {
  const path = `/servers?${new URLSearchParams(query).toString()}`;
  const response = await session.send({ ...requests.index, path }, context);
  if (response.is === 'missing') throw response.failure;
  const page = ServerIdsPage.safeParse(response.json);
  if (!page.success) throw notNova(response.target, 'a list of servers');
  return {
    ids: page.data.servers.map(({ id }) => id),
    next: nextMarker(page.data.servers_links),
    place: response.place,
  };
}

function notNova(target: string, what: string): Failure {
  return new Failure('invalid-response', `${target} answered with something that is not ${what}`, {
    remedy: 'check that the catalog names Nova (Compute API v2.1), and that no proxy answers in its place',
  });
}
