import * as z from 'zod/mini';
import { serverIdPattern } from './provider-id.ts';

/** https://docs.openstack.org/api-ref/identity/v3/#password-authentication-with-scoped-authorization (201) */
export const IssuedToken = z.object({
  token: z.object({
    expires_at: z.string(),
    /** Absent: the token is for no project. */
    project: z.optional(z.object({ id: z.string().check(z.minLength(1)) })),
    catalog: z.optional(
      z.array(
        z.object({
          type: z.string(),
          endpoints: z.array(
            z.object({
              interface: z.string(),
              /** `region` is the older name for it. */
              region_id: z.optional(z.nullable(z.string())),
              region: z.optional(z.nullable(z.string())),
              url: z.string(),
            }),
          ),
        }),
      ),
    ),
  }),
});
export type IssuedToken = z.infer<typeof IssuedToken>;

/**
 * Of a server what we read, with microversion 2.60.
 * https://docs.openstack.org/api-ref/compute/#show-server-details
 */
export const NovaServer = z.object({
  id: z.string().check(z.regex(serverIdPattern)),
  name: z.string(),
  status: z.string(),
  tenant_id: z.string(),
  'OS-EXT-AZ:availability_zone': z.optional(z.nullable(z.string())),
  /** Before 2.47 it has an id and no name. */
  flavor: z.object({ original_name: z.string() }),
  accessIPv4: z.optional(z.nullable(z.string())),
  accessIPv6: z.optional(z.nullable(z.string())),
  metadata: z.optional(z.record(z.string(), z.unknown())),
  addresses: z.record(
    z.string(),
    z.array(z.object({ addr: z.string(), 'OS-EXT-IPS:type': z.optional(z.nullable(z.string())) })),
  ),
});
export type NovaServer = z.infer<typeof NovaServer>;

export const ServerResponse = z.object({ server: z.unknown() });

/** https://docs.openstack.org/api-guide/compute/paginated_collections.html */
const Links = z.optional(z.array(z.object({ rel: z.string(), href: z.string() })));
export const ServerIdsPage = z.object({ servers: z.array(z.object({ id: z.string() })), servers_links: Links });
export const ServersPage = z.object({ servers: z.array(z.unknown()), servers_links: Links });

/** https://docs.openstack.org/api-ref/network/v2/#list-ports */
export const NeutronPort = z.object({
  id: z.string(),
  device_id: z.string(),
  status: z.string(),
  network_id: z.string(),
  fixed_ips: z.array(z.object({ ip_address: z.string() })),
  /** With the extension `trunk-details`, on a trunk's parent. */
  trunk_details: z.optional(z.nullable(z.object({ sub_ports: z.array(z.object({ port_id: z.string() })) }))),
});
export type NeutronPort = z.infer<typeof NeutronPort>;
export const PortsPage = z.object({ ports: z.array(NeutronPort), ports_links: Links });
/** What else a port has for routes. A pair that is not changed is sent back as it is. */
export const RoutedPort = z.object({
  id: z.string(),
  network_id: z.string(),
  mac_address: z.string(),
  fixed_ips: z.array(z.object({ ip_address: z.string() })),
  port_security_enabled: z.optional(z.boolean()),
  /** Absent: without the extension `allowed-address-pairs`. */
  allowed_address_pairs: z.optional(
    z.array(z.looseObject({ ip_address: z.string(), mac_address: z.optional(z.string()) })),
  ),
  revision_number: z.optional(z.number()),
});
export type RoutedPort = z.infer<typeof RoutedPort>;
export const RoutedPortResponse = z.object({ port: RoutedPort });
export const RoutedPortsPage = z.object({ ports: z.array(RoutedPort), ports_links: Links });
/** https://docs.openstack.org/api-ref/network/v2/#show-router-details */
export const RouterResponse = z.object({
  router: z.object({ id: z.string(), routes: z.array(z.object({ destination: z.string(), nexthop: z.string() })) }),
});
/** https://docs.openstack.org/api-ref/network/v2/#list-networks */
export const NeutronNetwork = z.object({ id: z.string(), name: z.string() });
export type NeutronNetwork = z.infer<typeof NeutronNetwork>;
export const NetworksPage = z.object({ networks: z.array(NeutronNetwork), networks_links: Links });

/** https://docs.openstack.org/api-guide/compute/faults.html */
export const ItemNotFound = z.object({ itemNotFound: z.object({ code: z.literal(404), message: z.string() }) });
