import * as z from 'zod/mini';
import { BrokerConfig } from './config/broker.ts';
import { Deletion } from './config/deletion.ts';
import { absolutePath } from './config/formats.ts';
import { InterruptionConfig } from './config/interruption.ts';
import { Registries, registriesExample } from './config/registries.ts';
import { cloudConfigs } from './generated/configs.ts';

export type { RegistryEntry } from './config/registries.ts';

/** The configuration file of all programs. Unknown keys are errors. The descriptions become the reference page. */
export const Config = z.strictObject({
  caFile: z.optional(
    absolutePath.check(
      z.describe('A file of PEM certificates of authorities to trust in addition to those of the host.'),
      z.meta({ examples: ['/etc/polycloud/ca.pem'] }),
    ),
  ),
  registries: z
    ._default(Registries, [])
    .check(
      z.describe('Images whose login does not follow from their host alone.'),
      z.meta({ examples: [registriesExample] }),
    ),
  dockerConfigFiles: z
    ._default(z.array(absolutePath), [])
    .check(
      z.describe(
        'Docker config files with logins for registries that no cloud serves. The most specific entry in their `auths` wins.',
      ),
      z.meta({ examples: [['/etc/polycloud/docker.json']] }),
    ),
  broker: z
    ._default(BrokerConfig, {})
    .check(z.describe('What a broker does before it is asked; see docs/guides/broker.md.')),
  deletion: z._default(Deletion, {}).check(z.describe('Limits for the deletion of Nodes; see docs/guides/ccm.md.')),
  interruption: z
    ._default(InterruptionConfig, {})
    .check(z.describe('What agents do when an instance is about to go; see docs/guides/interruption.md.')),
  ...cloudConfigs,
});
export type Config = z.infer<typeof Config>;
