import type { CloudDefinition } from '../cloud.ts';
import { entra } from './entra.ts';
import { imds } from './imds.ts';
import { registry } from './registry.ts';
import { resourceManager } from './resource-manager.ts';
import type { AzureState } from './state.ts';
import { initialAzureState } from './state.ts';

export const azure: CloudDefinition<AzureState> = {
  name: 'azure',
  initialState: initialAzureState,
  services: { imds, entra, registry, 'resource-manager': resourceManager },
};
