import type { GcpConfig } from '../../../clouds/gcp/config.ts';
import { defaultGcp } from '../../../schemas/config/defaults.ts';

/** What holds on a node without a configuration file. */
export const gcpConfig: GcpConfig = defaultGcp;
