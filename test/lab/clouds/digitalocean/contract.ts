import * as z from 'zod';

/*
 * What DigitalOcean's OpenAPI document promises of the three operations that we use: `droplets_list`, `droplets_get` and
 * `registries_get_dockerCredentials`, at commit 7c1300c479fed9c353cda9fc21cd968619552304 of
 * https://github.com/digitalocean/openapi. The embedded API checks each of its requests and responses against it.
 */

const integer = z.int();
const positive = z.string().regex(/^[1-9]\d*$/);

/** Query parameters, as sent. An unknown one is refused. */
export const queries = {
  droplets_list: z.strictObject({
    page: positive.optional(),
    per_page: positive.refine((text) => Number(text) <= 200).optional(),
    name: z.string().optional(),
    tag_name: z.string().optional(),
    type: z.enum(['droplets', 'gpus']).optional(),
  }),
  droplets_get: z.strictObject({}),
  /** In the description of the operation. */
  registries_get_dockerCredentials: z.strictObject({
    expiry_seconds: z.string().regex(/^\d+$/).optional(),
    read_write: z.enum(['true', 'false']).optional(),
  }),
};

const ipv4 = z.object({
  ip_address: z.ipv4(),
  netmask: z.ipv4(),
  /** The document's type is a text, and its description promises null for a private address. */
  gateway: z.string().nullable(),
  type: z.enum(['public', 'private']),
});
const ipv6 = z.object({ ip_address: z.ipv6(), netmask: integer, gateway: z.ipv6(), type: z.enum(['public']) });
const region = z.object({
  name: z.string(),
  slug: z.string(),
  features: z.array(z.string()),
  available: z.boolean(),
  sizes: z.array(z.string()),
});

const size = z.object({
  slug: z.string(),
  memory: integer,
  vcpus: integer,
  disk: integer,
  transfer: z.number(),
  price_monthly: z.number(),
  price_hourly: z.number(),
  regions: z.array(z.string()),
  available: z.boolean(),
  description: z.string(),
});

const droplet = z.object({
  id: integer,
  name: z.string(),
  memory: integer,
  vcpus: integer,
  disk: integer,
  locked: z.boolean(),
  status: z.enum(['new', 'active', 'off', 'archive']),
  created_at: z.iso.datetime(),
  features: z.array(z.string()),
  backup_ids: z.array(integer),
  next_backup_window: z.object({}).nullable(),
  snapshot_ids: z.array(integer),
  image: z.object({}),
  volume_ids: z.array(z.string()),
  size,
  size_slug: z.string(),
  networks: z.object({ v4: z.array(ipv4).optional(), v6: z.array(ipv6).optional() }),
  region,
  tags: z.array(z.string()),
  vpc_uuid: z.string().optional(),
  gpu_info: z.object({ count: integer, model: z.string() }).optional(),
});

const link = z.url().optional();
const pages = z.object({ first: link, prev: link, next: link, last: link });

/** The bodies of responses with status 200. */
export const bodies = {
  droplets_list: z.object({
    droplets: z.array(droplet),
    links: z.object({ pages: pages.optional() }).optional(),
    meta: z.object({ total: integer }),
  }),
  droplets_get: z.object({ droplet }),
  registries_get_dockerCredentials: z.object({
    auths: z.object({ 'registry.digitalocean.com': z.object({ auth: z.base64() }) }),
  }),
};

export const errorBody = z.object({ id: z.string(), message: z.string(), request_id: z.string().optional() });

export type Operation = keyof typeof bodies;
