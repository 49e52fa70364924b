import * as z from 'zod/mini';
import { absolutePath } from './formats.ts';

export const Static = z.strictObject({
  inventoryFile: z.optional(
    absolutePath.check(z.describe('Inventory of the machines that are no cloud’s, read again at each look.')),
  ),
});
