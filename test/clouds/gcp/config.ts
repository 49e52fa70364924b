import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import { gcpDefaults } from '../../../schemas/config/gcp.defaults.ts';

/** What holds on a node without a configuration file. */
export const gcpConfig: GcpConfig = gcpDefaults;
