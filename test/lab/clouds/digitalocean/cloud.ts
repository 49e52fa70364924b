import type { CloudDefinition } from '../cloud.ts';
import { api } from './api.ts';
import { metadata } from './metadata.ts';
import { initialDigitaloceanState } from './state.ts';
import type { DigitaloceanState } from './state.ts';

export const digitalocean: CloudDefinition<DigitaloceanState> = {
  name: 'digitalocean',
  initialState: initialDigitaloceanState,
  services: { api, metadata },
};
