import type { Host } from '../../../lib/host.ts';
import { parseJson } from '../../../lib/json.ts';
import { detectMachine } from '../../../lib/node/detect-machine.ts';
import type { Context } from '../../../lib/context.ts';
import { DropletMetadata } from '../schemas.ts';
import { readDocument } from './describe.ts';

/** https://github.com/canonical/cloud-init/blob/main/cloudinit/sources/helpers/digitalocean.py (read_sysinfo) */
const firmware: Readonly<Record<string, RegExp>> = { sys_vendor: /^DigitalOcean$/ };

export function detect(host: Pick<Host, 'readText'>, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  /** Other clouds have a service at this address too, but not this document. */
  const metadataResponds = async (limited: Context): Promise<boolean> =>
    DropletMetadata.safeParse(parseJson(await readDocument(limited))).success;
  return detectMachine({ firmware, metadataResponds }, host, context);
}
