import type { Cloud, CloudSettings } from '../cloud.ts';
import type { VsphereConfig } from '../../schemas/config/vsphere.ts';
import { createInstances } from './instances/index.ts';

/** Without a vCenter in the configuration nothing can be looked up. */
export function createVsphere(settings: CloudSettings<VsphereConfig>): Cloud {
  return {
    name: 'vsphere',
    ...(settings.config.vcenters.length > 0 && { instances: createInstances(settings) }),
  };
}
