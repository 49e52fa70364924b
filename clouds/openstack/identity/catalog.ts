import { Failure } from '../../../lib/failure.ts';
import type { IssuedToken } from '../schemas.ts';

/** Which of a service's endpoints is used. https://docs.openstack.org/keystone/latest/contributor/service-catalog.html */
export type EndpointInterface = 'public' | 'internal' | 'admin';

/** By their types in https://service-types.openstack.org */
export type ServiceType = 'compute' | 'network';

export type TokenCatalog = NonNullable<IssuedToken['token']['catalog']>;

/** The catalog of one region. */
export interface RegionCatalog {
  readonly region: string;
  /** Without a slash at the end. Throws a `Failure` if the catalog has no such endpoint. */
  endpoint(service: ServiceType): URL;
}

/** Without a name, the only region that has a Nova. Throws a `Failure` if there are several, or none. */
export function catalogOf(
  catalog: TokenCatalog,
  { region, interface: from }: { readonly region: string | undefined; readonly interface: EndpointInterface },
): RegionCatalog {
  const found = endpointsIn(catalog).filter((each) => each.interface === from);
  const regions = [...new Set(found.flatMap(({ type, ...each }) => (type === 'compute' ? [each.region] : [])))];
  const chosen = region ?? onlyOne(regions);
  return {
    region: chosen,
    endpoint: (service) => {
      const endpoint = found.find((each) => each.type === service && each.region === chosen);
      if (endpoint === undefined) throw noEndpoint(service, chosen, from, regions);
      return endpointUrl(endpoint.url, service);
    },
  };
}

interface CatalogEndpoint {
  readonly type: string;
  readonly interface: string;
  readonly region: string;
  readonly url: string;
}

function endpointsIn(catalog: TokenCatalog): readonly CatalogEndpoint[] {
  return catalog.flatMap(({ type, endpoints }) =>
    endpoints.map(({ region_id: id, region, url, ...each }) => ({
      type,
      interface: each.interface,
      region: id ?? region ?? '',
      url,
    })),
  );
}

function onlyOne(regions: readonly string[]): string {
  const [region, ...others] = regions;
  if (region !== undefined && others.length === 0) return region;
  const what = region === undefined ? 'no region with Nova' : `the regions ${shownRegions(regions)}`;
  throw new Failure('misconfigured', `the region of the nodes is not known: the catalog has ${what}`, {
    remedy: 'name it in openstack.region of the configuration, or set OS_REGION_NAME; check the interface too',
  });
}

function endpointUrl(text: string, service: ServiceType): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) {
    // Neutron's version is a part of our paths, and only some catalogs have it.
    url.pathname = url.pathname.replace(service === 'network' ? /(?:\/v2\.0)?\/*$/ : /\/+$/, '');
    url.search = '';
    url.hash = '';
    return url;
  }
  throw new Failure('misconfigured', `the catalog's endpoint of ${service} is not a URL`, {
    remedy: 'correct it: openstack endpoint list',
  });
}

function noEndpoint(
  service: ServiceType,
  region: string,
  from: EndpointInterface,
  regions: readonly string[],
): Failure {
  return new Failure(
    'misconfigured',
    `the catalog has no ${from} endpoint of ${service} in region ${region}; Nova is in ${shownRegions(regions)}`,
    { remedy: 'check openstack.region in the configuration, OS_REGION_NAME, and the interface' },
  );
}

function shownRegions(regions: readonly string[]): string {
  return regions.length === 0 ? 'none' : regions.map((region) => region.replace(/[^\w.-]/g, '?')).join(', ');
}
