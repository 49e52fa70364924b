import type { Cloud, CloudSettings } from '../cloud.ts';
import type { OpenstackConfig } from '../../schemas/config/openstack.ts';
import { createInstances } from './instances/index.ts';

export function createOpenstack(settings: CloudSettings<OpenstackConfig>): Cloud {
  return { name: 'openstack', instances: createInstances(settings) };
}
