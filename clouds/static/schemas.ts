import * as z from 'zod/mini';

/** https://github.com/docker/cli/blob/master/docs/config-file — as much of it as a kubelet can use. */
export const DockerConfig = z.object({
  auths: z.optional(
    z.record(
      z.string(),
      z.object({
        auth: z.optional(z.string()),
        username: z.optional(z.string()),
        password: z.optional(z.string()),
        identitytoken: z.optional(z.string()),
      }),
    ),
  ),
  credHelpers: z.optional(z.record(z.string(), z.string())),
});
export type DockerConfig = z.infer<typeof DockerConfig>;

const Address = z.strictObject({
  type: z.enum(['Hostname', 'InternalIP', 'ExternalIP', 'InternalDNS', 'ExternalDNS']),
  address: z.string().check(z.minLength(1)),
});

const InventoryMachine = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'must be a name in lower case'),
      z.describe('The name of the Node, unless the system UUID tells which machine it is.'),
    ),
  systemUuid: z.optional(
    z
      .string()
      .check(
        z.regex(/^[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}$/, 'must be a UUID'),
        z.describe('As the firmware has it, in /sys/class/dmi/id/product_uuid.'),
      ),
  ),
  addresses: z._default(z.array(Address), []).check(z.describe('A list of { type, address }.')),
  type: z.optional(z.string()),
  region: z.optional(z.string()),
  zone: z.optional(z.string()),
  labels: z._default(z.record(z.string(), z.string()), {}),
  retired: z.optional(z.boolean().check(z.describe('The machine is gone for good, and its Node may be deleted.'))),
});
export type InventoryMachine = z.infer<typeof InventoryMachine>;

/** The operator's list. Unknown keys are mistakes: a misspelt one must not change what is deleted. */
export const Inventory = z.strictObject({
  machines: z.array(InventoryMachine).check(z.describe('The machines, each with a name.')),
});
