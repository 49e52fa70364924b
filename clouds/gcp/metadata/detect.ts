import type { Host } from '../../../lib/host.ts';
import { detectMachine } from '../../../lib/node/detect-machine.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import { readMetadata } from './session.ts';
import { instanceIdPattern } from './parse.ts';

export interface GcpDetectDeps {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * Firmware values of Compute Engine's machines. https://cloud.google.com/compute/docs/instances/detect-compute-engine
 */
const firmware: Readonly<Record<string, RegExp>> = {
  product_name: /^Google Compute Engine$/,
  sys_vendor: /^Google$/,
  bios_vendor: /^Google$/,
};

export function detect({ env, host }: GcpDetectDeps, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  const metadataResponds = async (limited: Context): Promise<boolean> =>
    instanceIdPattern.test((await readMetadata('instance/id', env, limited)) ?? '');
  return detectMachine({ firmware, metadataResponds }, host, context);
}
