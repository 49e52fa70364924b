import type { VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { vsphereDefaults } from '../../../schemas/config/vsphere.defaults.ts';

/** The vCenters of the lab, without a datacenter of their own. */
export const vsphereConfig: VsphereConfig = {
  ...vsphereDefaults,
  secretsDirectory: '/secrets',
  vcenters: [{ name: 'a', server: 'a.vcenter.lab' }],
};

export const twoVcenters: VsphereConfig = {
  ...vsphereConfig,
  vcenters: [...vsphereConfig.vcenters, { name: 'b', server: 'b.vcenter.lab' }],
};
