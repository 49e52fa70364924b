import type { AzureConfig } from '../../../clouds/azure/config.ts';
import { defaultAzure } from '../../../schemas/config/defaults.ts';

/** For tests that are about something else. */
export const azureConfig: AzureConfig = defaultAzure;
