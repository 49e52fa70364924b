import * as z from 'zod/mini';
import { absolutePath } from './formats.ts';

export const Static = z.strictObject({
  inventoryFile: z.optional(
    absolutePath.check(z.describe('The inventory of machines without a cloud, read at each look-up.')),
  ),
});
