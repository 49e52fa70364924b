import { Failure } from '../../lib/failure.ts';
import type { Context } from '../../lib/context.ts';
import { nextMarker, readRest } from './pages.ts';
import { NetworksPage, PortsPage } from './schemas.ts';
import type { NeutronNetwork, NeutronPort } from './schemas.ts';
import type { OpenstackSession } from './session.ts';

/** One kind of resource of Neutron, as it is listed. https://docs.openstack.org/api-ref/network/v2/ */
export interface NeutronCollection<T> {
  readonly path: string;
  /** The policy rule. */
  readonly action: string;
  readonly fields: readonly string[];
  /** `undefined`: it is no such response. */
  parse(json: unknown): NeutronPage<T> | undefined;
}

interface NeutronPage<T> {
  readonly items: readonly T[];
  readonly next: string | undefined;
}

export const ports: NeutronCollection<NeutronPort> = {
  path: '/v2.0/ports',
  action: 'get_port',
  fields: ['id', 'device_id', 'status', 'network_id', 'fixed_ips', 'trunk_details'],
  parse: (json) => {
    const page = PortsPage.safeParse(json);
    return page.success ? { items: page.data.ports, next: nextMarker(page.data.ports_links) } : undefined;
  },
};

export const networks: NeutronCollection<NeutronNetwork> = {
  path: '/v2.0/networks',
  action: 'get_network',
  fields: ['id', 'name'],
  parse: (json) => {
    const page = NetworksPage.safeParse(json);
    return page.success ? { items: page.data.networks, next: nextMarker(page.data.networks_links) } : undefined;
  },
};

/** With 47 characters each, the request line stays below the 8 KB that servers and proxies accept. */
const valuesPerRequest = 150;

type Query = readonly (readonly [name: string, value: string])[];

/** Those whose `key` is one of the values; one request for each 150 of them. */
export async function listWith<T>(
  { key, values }: { readonly key: string; readonly values: readonly string[] },
  collection: NeutronCollection<T>,
  session: OpenstackSession,
  context: Context,
): Promise<readonly T[]> {
  const found: T[] = [];
  for (let start = 0; start < values.length; start += valuesPerRequest) {
    const part: Query = values.slice(start, start + valuesPerRequest).map((value) => [key, value]);
    const pages: NeutronPage<T>[] = [];
    await readRest(pages, (marker) =>
      readPage(marker === undefined ? part : [...part, ['marker', marker]], collection, session, context),
    );
    found.push(...pages.flatMap(({ items }) => items));
  }
  return found;
}

async function readPage<T>(
  query: Query,
  { path, action, fields, parse }: NeutronCollection<T>,
  session: OpenstackSession,
  context: Context,
): Promise<NeutronPage<T>> {
  const parameters = new URLSearchParams();
  for (const [name, value] of query) parameters.append(name, value);
  for (const field of fields) parameters.append('fields', field);
  const request = { service: 'network', path: `${path}?${parameters.toString()}`, action, role: 'reader' } as const;
  const response = await session.send(request, context);
  if (response.is === 'missing') throw response.failure;
  const page = parse(response.json);
  if (page !== undefined) return page;
  throw new Failure('invalid-response', `${response.target} answered with something that is not a list of ${path}`, {
    remedy: 'check that the catalog names Neutron, and that no proxy answers in its place',
  });
}
