import type { LabRequest, LabResponse, LabService } from '../cloud.ts';
import { canRead, computeFault, holderOf, json, unauthorized } from './responses.ts';
import type { LabServer } from './server.ts';
import type { OpenstackState } from './state.ts';

/** Of Nova the servers: https://docs.openstack.org/api-ref/compute/#servers-servers */
export const nova: LabService<OpenstackState> = {
  throttled: computeFault(429, 'overLimit', 'This request was rate-limited.'),
  respond: (request, state, moment) => {
    const holder = holderOf(request, state, moment);
    if (holder === undefined) return unauthorized;
    const version = request.headers['openstack-api-version'];
    if (state.behaviour.isOld && version !== undefined) return notAcceptable;
    const answered = answer(request, holder.projectId, canRead(holder), state);
    return { ...answered, headers: { ...answered.headers, ...versionHeaders(version) } };
  },
};

const notAcceptable = computeFault(
  406,
  'computeFault',
  'Version 2.60 is not supported by the API. Minimum is 2.1 and maximum is 2.53.',
);

function versionHeaders(version: string | undefined): Readonly<Record<string, string>> {
  const value = version ?? 'compute 2.1';
  return {
    'openstack-api-version': value,
    'x-openstack-nova-api-version': value.replace('compute ', ''),
    vary: 'OpenStack-API-Version, X-OpenStack-Nova-API-Version',
  };
}

function answer(request: LabRequest, projectId: string, isReader: boolean, state: OpenstackState): LabResponse {
  const url = new URL(request.path, `http://${request.host}`);
  const match = /^\/v2\.1\/servers(?:\/(?<id>[^/]+))?$/.exec(url.pathname);
  if (request.method !== 'GET' || match === null) return unknownPath;
  const id = match.groups?.['id'] ?? 'index';
  const rule = isList(id) ? id : 'show';
  if (!isReader) {
    const message = `Policy doesn't allow os_compute_api:servers:${rule} to be performed.`;
    return computeFault(403, 'forbidden', message);
  }
  const own = Object.values(state.servers).filter((server) => server.projectId === projectId);
  return isList(id) ? list(url, own, id === 'detail' ? serverDocument : shortDocument, state) : show(id, own, state);
}

function isList(id: string): boolean {
  return id === 'index' || id === 'detail';
}

const unknownPath = computeFault(404, 'itemNotFound', 'The resource could not be found.');

/** A project is shown no servers of others. */
function show(id: string, own: readonly LabServer[], { behaviour }: OpenstackState): LabResponse {
  const isHidden = behaviour.hiddenFromShow === 'all' || behaviour.hiddenFromShow.includes(id);
  const server = isHidden ? undefined : own.find((each) => each.id === id);
  if (server === undefined) return computeFault(404, 'itemNotFound', `Instance ${id} could not be found.`);
  return json(200, { server: serverDocument(server) });
}

function list(
  url: URL,
  own: readonly LabServer[],
  document: (server: LabServer) => object,
  { behaviour }: OpenstackState,
): LabResponse {
  const name = url.searchParams.get('name');
  const marker = url.searchParams.get('marker');
  const limit = Math.min(Number(url.searchParams.get('limit') ?? behaviour.pageMax), behaviour.pageMax);
  const listed = own.filter(
    (server) => isListed(server, behaviour) && (name === null || new RegExp(name).test(server.name)),
  );
  const at = marker === null ? -1 : listed.findIndex(({ id }) => id === marker);
  if (marker !== null && at === -1) return computeFault(400, 'badRequest', `marker [${marker}] not found`);
  const page = listed.slice(at + 1, at + 1 + limit);
  const last = behaviour.endless ? listed[limit - 1] : page.at(-1);
  // Nova shows a link whenever the page is full.
  const hasNext = page.length === limit || behaviour.endless;
  return json(200, {
    servers: page.map(document),
    ...(hasNext && last && { servers_links: [{ rel: 'next', href: nextUrl(url, last.id, behaviour.linkHost) }] }),
  });
}

function isListed({ id, status }: LabServer, { leftOutOfLists }: OpenstackState['behaviour']): boolean {
  return !leftOutOfLists.includes(id) && status !== 'SOFT_DELETED' && status !== 'DELETED';
}

function nextUrl(url: URL, marker: string, host: string | undefined): string {
  const next = new URL(url);
  if (host !== undefined) next.host = host;
  next.searchParams.set('marker', marker);
  return next.href;
}

/** https://docs.openstack.org/api-ref/compute/#list-servers */
function shortDocument({ id, name }: LabServer): object {
  return { id, name, links: linksOf(id) };
}

function linksOf(id: string): readonly object[] {
  return [
    { rel: 'self', href: `http://nova.cloud.example/v2.1/servers/${id}` },
    { rel: 'bookmark', href: `http://nova.cloud.example/servers/${id}` },
  ];
}

/** https://docs.openstack.org/api-ref/compute/#show-server-details, with microversion 2.60 */
function serverDocument(server: LabServer): object {
  const { id, projectId, name, status, flavor, zone, metadata = {}, addresses } = server;
  return {
    id,
    name,
    status,
    tenant_id: projectId,
    user_id: 'fake',
    metadata,
    hostId: '2091634baaccdc4c5a1d57069c833e402921df696b7f970791b12ec6',
    image: { id: '70a599e0-31e7-49b7-b260-868f441e862b', links: [] },
    flavor: {
      vcpus: 4,
      ram: 8192,
      disk: 80,
      ephemeral: 0,
      swap: 0,
      original_name: flavor,
      extra_specs: {},
    },
    created: '2026-11-18T12:00:00Z',
    updated: '2026-11-18T12:00:10Z',
    addresses: Object.fromEntries(
      Object.entries(addresses).map(([network, each]) => [
        network,
        each.map(({ address, type }) => ({
          version: address.includes(':') ? 6 : 4,
          addr: address,
          'OS-EXT-IPS:type': type,
          'OS-EXT-IPS-MAC:mac_addr': 'fa:16:3e:00:00:01',
        })),
      ]),
    ),
    accessIPv4: server.accessIPv4 ?? '',
    accessIPv6: server.accessIPv6 ?? '',
    links: linksOf(id),
    'OS-DCF:diskConfig': 'AUTO',
    ...(status === 'ACTIVE' && { progress: 0 }),
    'OS-EXT-AZ:availability_zone': zone,
    config_drive: '',
    key_name: null,
    'OS-SRV-USG:launched_at': '2026-11-18T12:00:10.000000',
    'OS-SRV-USG:terminated_at': null,
    security_groups: [{ name: 'default' }],
    'OS-EXT-STS:task_state': null,
    'OS-EXT-STS:vm_state': status.toLowerCase(),
    'OS-EXT-STS:power_state': status === 'ACTIVE' ? 1 : 4,
    'os-extended-volumes:volumes_attached': [],
    locked: false,
    description: null,
    tags: [],
  };
}
