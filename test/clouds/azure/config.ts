import type { AzureConfig } from '../../../schemas/config/azure.ts';
import { azureDefaults } from '../../../schemas/config/azure.defaults.ts';

/** For tests that are about something else. */
export const azureConfig: AzureConfig = azureDefaults;
