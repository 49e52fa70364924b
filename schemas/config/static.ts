import * as z from 'zod/mini';
import { absolutePath } from './formats.ts';
import { staticDefaults } from './static.defaults.ts';

const StaticSettings = z.strictObject({
  inventoryFile: z.optional(
    absolutePath.check(
      z.describe('The inventory of machines without a cloud, read at each look-up.'),
      z.meta({ examples: ['/etc/polycloud/inventory.yaml'] }),
    ),
  ),
});

export const StaticConfig = z
  ._default(StaticSettings, staticDefaults)
  .check(z.describe('Settings for machines without a cloud.'));
export type StaticConfig = z.infer<typeof StaticConfig>;
