import type { DigitaloceanConfig } from '../../../schemas/config/digitalocean.ts';
import { digitaloceanDefaults } from '../../../schemas/config/digitalocean.defaults.ts';

/** What holds on a node without a configuration file. */
export const digitaloceanConfig: DigitaloceanConfig = digitaloceanDefaults;
