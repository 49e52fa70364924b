import type { LabResponse, LabService } from '../cloud.ts';
import { canRead, holderOf, json, networkError, unauthorized } from './responses.ts';
import type { LabNetwork, LabPort } from './server.ts';
import { labMac, respondOfRouter, updatePort } from './routers.ts';
import type { OpenstackState } from './state.ts';

/** Of Neutron the lists of ports and networks: https://docs.openstack.org/api-ref/network/v2/ */
export const neutron: LabService<OpenstackState> = {
  throttled: { status: 429, headers: { 'content-type': 'text/plain' }, body: 'Too Many Requests' },
  respond: (request, state, moment) => {
    const holder = holderOf(request, state, moment);
    if (holder === undefined) return unauthorized;
    const url = new URL(request.path, 'http://neutron');
    const isShown = canRead(holder) && !state.behaviour.portsHidden;
    if (request.method === 'GET' && url.pathname === '/v2.0/ports') {
      const own = Object.values(state.ports).filter((port) => isShown && port.projectId === holder.projectId);
      return list('ports', own.map(portDocument), url.searchParams);
    }
    if (request.method === 'GET' && url.pathname === '/v2.0/networks') {
      const all = Object.entries(state.networks).map(([id, network]) => networkDocument(id, network));
      return list('networks', isShown ? all : [], url.searchParams);
    }
    if (url.pathname.startsWith('/v2.0/routers/')) return respondOfRouter(request, holder, state);
    if (request.method === 'PUT') return updatePort(request, holder, state);
    return networkError(404, 'HTTPNotFound', 'The resource could not be found.');
  },
};

type Document = Readonly<Record<string, unknown>>;

/** Neutron sorts by id. */
function list(name: string, all: readonly Document[], query: URLSearchParams): LabResponse {
  const fields = query.getAll('fields');
  const filters = ['id', 'device_id'].filter((key) => query.has(key));
  const found = all
    .filter((each) => filters.every((key) => query.getAll(key).includes(String(each[key]))))
    .filter((each) => hasOneOf(query.getAll('fixed_ips'), each['fixed_ips']))
    .toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
  return json(200, { [name]: found.map((each) => selected(each, fields)) });
}

/** `ip_address=ADDRESS`, any of them. */
function hasOneOf(filters: readonly string[], fixedIps: unknown): boolean {
  const addresses = (fixedIps ?? []) as readonly { readonly ip_address: string }[];
  return filters.length === 0 || addresses.some(({ ip_address }) => filters.includes(`ip_address=${ip_address}`));
}

function selected(document: Document, fields: readonly string[]): Document {
  if (fields.length === 0) return document;
  return Object.fromEntries(Object.entries(document).filter(([key]) => fields.includes(key)));
}

function portDocument(port: LabPort): Document {
  const { id, projectId, deviceId, networkId, status, addresses, subPorts } = port;
  return {
    id,
    name: '',
    network_id: networkId,
    tenant_id: projectId,
    project_id: projectId,
    mac_address: labMac,
    port_security_enabled: port.portSecurity ?? true,
    allowed_address_pairs: port.allowedPairs ?? [],
    revision_number: port.revision ?? 1,
    admin_state_up: true,
    status,
    device_id: deviceId,
    device_owner: 'compute:nova',
    fixed_ips: addresses.map((address) => ({ subnet_id: 'd0000000-0000-4000-8000-000000000001', ip_address: address })),
    ...(subPorts !== undefined && {
      trunk_details: {
        trunk_id: `e${id.slice(1)}`,
        sub_ports: subPorts.map((portId, index) => ({
          segmentation_id: 100 + index,
          segmentation_type: 'vlan',
          port_id: portId,
          mac_address: 'fa:16:3e:00:00:02',
        })),
      },
    }),
  };
}

function networkDocument(id: string, { name }: LabNetwork): Document {
  return { id, name, admin_state_up: true, status: 'ACTIVE', subnets: [], shared: false };
}
