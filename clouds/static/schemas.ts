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
