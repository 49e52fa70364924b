import type { Host } from '../../../lib/host.ts';
import { detectMachine } from '../../../lib/node/detect-machine.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { openMetadata } from './session.ts';
import { instanceIdPattern } from './parse.ts';

export interface AwsDetectDeps {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * Firmware values of EC2's machines. The older ones run Xen in a version of AWS's.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/identify_ec2_instances.html
 */
const firmware: Readonly<Record<string, RegExp>> = {
  sys_vendor: /^Amazon EC2$/,
  bios_vendor: /^Amazon EC2$/,
  board_asset_tag: instanceIdPattern,
  bios_version: /\.amazon$/i,
  product_version: /\.amazon$/i,
};

export function detect({ env, host }: AwsDetectDeps, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  /** Other clouds respond at this address too, but without a version 2 session and an instance id. */
  const metadataResponds = async (limited: Context): Promise<boolean> => {
    const metadata = await openMetadata(env, limited);
    return instanceIdPattern.test((await metadata.read('meta-data/instance-id')) ?? '');
  };
  return detectMachine({ firmware, metadataResponds }, host, context);
}
