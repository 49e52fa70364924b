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

/** Our own configuration file, for all programs. Unknown keys are mistakes. The descriptions become the reference page. */
export const Config = z.strictObject({
  caFile: z.optional(
    absolutePath.check(z.describe('PEM certificates of authorities to trust besides those that the host trusts.')),
  ),
  registries: z
    ._default(Registries, [])
    .check(z.describe('Images that are served otherwise than their host alone says.')),
  dockerConfigFiles: z
    ._default(z.array(absolutePath), [])
    .check(
      z.describe(
        'Docker config files whose `auths` serve what no cloud serves; the most particular entry of all files wins.',
      ),
    ),
  deletion: z._default(Deletion, {}).check(z.describe('When the controller deletes a Node; see the guide.')),
  aws: z._default(Aws, defaultConfig.aws).check(z.describe('What is AWS’s own.')),
  gcp: z._default(Gcp, defaultConfig.gcp).check(z.describe('What is Google’s own.')),
  azure: z._default(Azure, defaultConfig.azure).check(z.describe('What is Azure’s own.')),
  static: z._default(Static, defaultConfig.static).check(z.describe('What is no cloud’s.')),
});
export type Config = z.infer<typeof Config>;
