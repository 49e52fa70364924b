// Generated from clouds/<name>/traits.ts by `npm run generate`.
import { awsDefaults } from '../config/aws.defaults.ts';
import { azureDefaults } from '../config/azure.defaults.ts';
import { digitaloceanDefaults } from '../config/digitalocean.defaults.ts';
import { gcpDefaults } from '../config/gcp.defaults.ts';
import { openstackDefaults } from '../config/openstack.defaults.ts';
import { staticDefaults } from '../config/static.defaults.ts';
import { vsphereDefaults } from '../config/vsphere.defaults.ts';

export const cloudDefaults = {
  aws: awsDefaults,
  gcp: gcpDefaults,
  azure: azureDefaults,
  openstack: openstackDefaults,
  digitalocean: digitaloceanDefaults,
  vsphere: vsphereDefaults,
  static: staticDefaults,
};
