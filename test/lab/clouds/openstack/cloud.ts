import type { CloudDefinition } from '../cloud.ts';
import { keystone } from './keystone.ts';
import { metadata } from './metadata.ts';
import { neutron } from './neutron.ts';
import { nova } from './nova.ts';
import { initialOpenstackState } from './state.ts';
import type { OpenstackState } from './state.ts';

export const openstack: CloudDefinition<OpenstackState> = {
  name: 'openstack',
  initialState: initialOpenstackState,
  services: { keystone, nova, neutron, metadata },
};
