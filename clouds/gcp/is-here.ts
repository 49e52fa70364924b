import type { Host } from '../../lib/host.ts';
import { isMachineOf } from '../../lib/node/machine-signs.ts';
import type { Context, Environment } from '../cloud.ts';
import { readMetadata } from './metadata.ts';
import { instanceIdForm } from './parse-self.ts';

export interface Machine {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/** What the firmware of Compute Engine's machines says. https://cloud.google.com/compute/docs/instances/detect-compute-engine */
const firmware: Readonly<Record<string, RegExp>> = {
  product_name: /^Google Compute Engine$/,
  sys_vendor: /^Google$/,
  bios_vendor: /^Google$/,
};

export function isHere({ env, host }: Machine, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  const answersAsOurs = async (limited: Context): Promise<boolean> =>
    instanceIdForm.test((await readMetadata('instance/id', env, limited)) ?? '');
  return isMachineOf({ firmware, answersAsOurs }, host, context);
}
