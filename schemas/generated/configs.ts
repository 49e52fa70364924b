// Generated from clouds/<name>/traits.ts by `npm run generate`.
import { AwsConfig } from '../config/aws.ts';
import { AzureConfig } from '../config/azure.ts';
import { DigitaloceanConfig } from '../config/digitalocean.ts';
import { GcpConfig } from '../config/gcp.ts';
import { OpenstackConfig } from '../config/openstack.ts';
import { StaticConfig } from '../config/static.ts';
import { VsphereConfig } from '../config/vsphere.ts';

export const cloudConfigs = {
  aws: AwsConfig,
  gcp: GcpConfig,
  azure: AzureConfig,
  openstack: OpenstackConfig,
  digitalocean: DigitaloceanConfig,
  vsphere: VsphereConfig,
  static: StaticConfig,
};
