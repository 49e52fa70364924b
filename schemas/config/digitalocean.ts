import * as z from 'zod/mini';
import { digitaloceanDefaults } from './digitalocean.defaults.ts';
import { absolutePath, httpsUrl } from './formats.ts';

const DigitaloceanSettings = z.strictObject({
  tokenFile: z.optional(
    absolutePath.check(
      z.describe(
        'A file with an API token, read for each login and look-up. Without it, `DIGITALOCEAN_ACCESS_TOKEN` or `DO_ACCESS_TOKEN` has the token.',
      ),
      z.meta({ examples: ['/etc/polycloud/digitalocean-token'] }),
    ),
  ),
  registryLoginSeconds: z
    ._default(
      z.int().check(z.minimum(1_800, 'must be at least 1800'), z.maximum(86_400, 'must be at most 86400')),
      digitaloceanDefaults.registryLoginSeconds,
    )
    .check(z.describe('How long a login to a registry is valid.')),
  endpoint: z.optional(
    httpsUrl.check(
      z.describe('Replaces `https://api.digitalocean.com`.'),
      z.meta({ examples: ['https://digitalocean-api.example.com'] }),
    ),
  ),
});

export const DigitaloceanConfig = z
  ._default(DigitaloceanSettings, digitaloceanDefaults)
  .check(z.describe('Settings for DigitalOcean.'));
export type DigitaloceanConfig = z.infer<typeof DigitaloceanConfig>;
