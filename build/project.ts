import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where package.json is. */
export const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
