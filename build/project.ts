import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The directory of package.json. */
export const projectDirectory = dirname(dirname(fileURLToPath(import.meta.url)));
