import { bodyText } from '../../../lib/http/ask.ts';
import { parseJson } from '../../../lib/json.ts';
import { detectMachine } from '../../../lib/node/detect-machine.ts';
import type { Context } from '../../../lib/context.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { Host } from '../../../lib/host.ts';
import { InstanceDocument } from '../schemas.ts';
import { instancePath } from './documents.ts';
import { askMetadata } from './session.ts';

export interface AzureDetectDeps {
  readonly env: Environment;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * The tag of Azure's machines. The vendor alone proves nothing: it is the same for Hyper-V anywhere.
 * https://learn.microsoft.com/azure/virtual-machines/linux/using-cloud-init
 */
const firmware: Readonly<Record<string, RegExp>> = {
  chassis_asset_tag: /^7783-7084-3265-9085-8269-3286-77$/,
};

export function detect({ env, host }: AzureDetectDeps, context: Context): Promise<'yes' | 'no' | 'unknown'> {
  /** Other clouds have a service at this address too, but not this document. */
  const metadataResponds = async (limited: Context): Promise<boolean> => {
    const response = await askMetadata(instancePath, env, limited);
    return response.status === 200 && InstanceDocument.safeParse(parseJson(bodyText(response))).success;
  };
  return detectMachine({ firmware, metadataResponds }, host, context);
}
