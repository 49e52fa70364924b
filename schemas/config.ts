import * as z from 'zod/mini';
import { defaultConfig } from './config/defaults.ts';
import { Aws } from './config/aws.ts';
import { Azure } from './config/azure.ts';
import { Deletion } from './config/deletion.ts';
import { absolutePath } from './config/formats.ts';
import { Gcp } from './config/gcp.ts';
import { Registries } from './config/registries.ts';
import { Static } from './config/static.ts';

export type { RegistryEntry } from './config/registries.ts';

/** The configuration file of all programs. Unknown keys are errors. The descriptions become the reference page. */
export const Config = z.strictObject({
  caFile: z.optional(
    absolutePath.check(
      z.describe('A file of PEM certificates of authorities to trust in addition to those of the host.'),
    ),
  ),
  registries: z._default(Registries, []).check(z.describe('Images whose login does not follow from their host alone.')),
  dockerConfigFiles: z
    ._default(z.array(absolutePath), [])
    .check(
      z.describe(
        'Docker config files with logins for registries that no cloud serves. The most specific entry in their `auths` wins.',
      ),
    ),
  deletion: z._default(Deletion, {}).check(z.describe('Limits for the deletion of Nodes; see docs/guides/ccm.md.')),
  aws: z._default(Aws, defaultConfig.aws).check(z.describe('Settings for AWS.')),
  gcp: z._default(Gcp, defaultConfig.gcp).check(z.describe('Settings for Google Cloud.')),
  azure: z._default(Azure, defaultConfig.azure).check(z.describe('Settings for Azure.')),
  static: z._default(Static, defaultConfig.static).check(z.describe('Settings for machines without a cloud.')),
});
export type Config = z.infer<typeof Config>;
