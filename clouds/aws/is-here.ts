import type { Host } from '../../lib/host.ts';
import { isMachineOf } from '../../lib/node/machine-signs.ts';
import type { Context, Environment } from '../cloud.ts';
import { openMetadata } from './metadata.ts';
import { ownInstanceIdForm } from './parse-self.ts';

export interface Machine {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * What the firmware of EC2's machines says; the older ones are Xen with a version of AWS's own.
 * https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/identify_ec2_instances.html
 */
const firmware: Readonly<Record<string, RegExp>> = {
  sys_vendor: /^Amazon EC2$/,
  bios_vendor: /^Amazon EC2$/,
  board_asset_tag: ownInstanceIdForm,
  bios_version: /\.amazon$/i,
  product_version: /\.amazon$/i,
};

export function isHere({ env, host }: Machine, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  /** A session of version 2 and an instance's id: other clouds answer at this address too, and have neither. */
  const answersAsOurs = async (limited: Context): Promise<boolean> => {
    const metadata = await openMetadata(env, limited);
    return ownInstanceIdForm.test((await metadata.read('meta-data/instance-id')) ?? '');
  };
  return isMachineOf({ firmware, answersAsOurs }, host, context);
}
