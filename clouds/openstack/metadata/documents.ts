import * as z from 'zod/mini';

/**
 * `meta_data.json`. `meta` are the properties that the owner gave the server.
 * https://docs.openstack.org/nova/latest/user/metadata.html
 */
export const MetaData = z.object({
  uuid: z.string(),
  availability_zone: z.nullish(z.string()),
  /** Since the release Liberty. */
  project_id: z.nullish(z.string()),
  meta: z.nullish(z.record(z.string(), z.string())),
  /** Not of Nova: Huawei Cloud has a document of this name too. */
  region_id: z.optional(z.unknown()),
});

/**
 * `network_data.json`, an empty object if Nova knows no interfaces.
 * https://docs.openstack.org/nova/latest/user/metadata.html#openstack-format-metadata
 */
export const NetworkData = z.object({
  links: z._default(
    z.array(z.object({ id: z.string(), vif_id: z.nullish(z.string()), ethernet_mac_address: z.nullish(z.string()) })),
    [],
  ),
  networks: z._default(
    z.array(z.object({ type: z.string(), link: z.string(), ip_address: z.nullish(z.string()) })),
    [],
  ),
});
export type NetworkData = z.infer<typeof NetworkData>;

/** `meta-data.json` of the config drive's part for EC2. Nobody asks there, so there may be no local address. */
export const Ec2MetaData = z.object({
  'instance-type': z.optional(z.string()),
  'local-ipv4': z.nullish(z.string()),
});

export type Ec2MetaData = z.infer<typeof Ec2MetaData>;

/** What Nova reports of the server that asks. `undefined`: there is no such value. */
export interface OpenstackMetadataTexts {
  readonly metaData: string | undefined;
  /** Absent before the release Liberty. */
  readonly networkData: string | undefined;
  /** The name of the flavor. */
  readonly type: string | undefined;
  /** The first fixed IPv4 address. */
  readonly localIpv4: string | undefined;
  /** The first floating address, or an empty text. */
  readonly publicIpv4: string | undefined;
}
