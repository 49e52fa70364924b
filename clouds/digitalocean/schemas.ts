import * as z from 'zod/mini';

/*
 * What we read of DigitalOcean's responses. https://github.com/digitalocean/openapi has the schemas of the API, and
 * https://docs.digitalocean.com/reference/api/metadata/ those of the metadata.
 */

export const ApiError = z.object({ id: z.string(), message: z.optional(z.string()) });

/** `registries_get_dockerCredentials`: a Docker config file. */
export const DockerCredentials = z.object({ auths: z.record(z.string(), z.object({ auth: z.string() })) });

const ApiNetwork = z.object({ ip_address: z.string(), type: z.string() });

/** `droplet`. */
export const ApiDroplet = z.object({
  id: z.int().check(z.minimum(1)),
  name: z.string(),
  status: z.string(),
  size_slug: z.string(),
  vpc_uuid: z.optional(z.nullable(z.string())),
  region: z.object({ slug: z.string() }),
  networks: z.object({ v4: z._default(z.array(ApiNetwork), []), v6: z._default(z.array(ApiNetwork), []) }),
});
export type ApiDroplet = z.infer<typeof ApiDroplet>;

/** `droplets_get`. */
export const OneDroplet = z.object({ droplet: ApiDroplet });

/**
 * A page of `droplets_list`. An element of another form leaves the others readable: its Droplet is then requested by its
 * id.
 */
export const DropletPage = z.object({
  droplets: z.array(z.unknown()),
  links: z.optional(z.object({ pages: z.optional(z.object({ next: z.optional(z.string()) })) })),
});

const MetadataAddress = z.object({ ip_address: z.string() });
const MetadataInterface = z.object({ ipv4: z.optional(MetadataAddress), ipv6: z.optional(MetadataAddress) });

/** `/metadata/v1.json`. */
export const DropletMetadata = z.object({
  droplet_id: z.int().check(z.minimum(1)),
  region: z.string(),
  interfaces: z.object({
    private: z._default(z.array(MetadataInterface), []),
    public: z._default(z.array(MetadataInterface), []),
  }),
});
