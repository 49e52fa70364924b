import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import type { Context } from '../../../lib/context.ts';
import type { Host } from '../../../lib/host.ts';
import { readFirmware, withinMetadataTimeout } from '../../../lib/node/detect-machine.ts';
import { readDriveMetaData } from './config-drive.ts';
import { ownerOf } from './parse.ts';
import { readServiceMetaData } from './session.ts';

export interface OpenstackDetectDeps {
  readonly config: Pick<OpenstackConfig, 'configDrive'>;
  readonly host: Pick<Host, 'readText'>;
}

/**
 * Values of `[libvirt]` and VMware's driver in Nova, and of two public clouds that run it.
 * https://github.com/canonical/cloud-init/blob/main/cloudinit/sources/DataSourceOpenStack.py
 */
const novaProduct = /^OpenStack (?:Nova|Compute)$/;
const novaTag = /^(?:OpenStack (?:Nova|Compute)|OpenTelekomCloud|SAP CCloud VM)$/;
/** These have metadata in OpenStack's format, and APIs of their own. Their product can be that of Nova. */
const otherCloudTag = /^(?:HUAWEICLOUD|OracleCloud\.com)$/;

/**
 * The firmware alone proves nothing, since others run machines of Nova's product. The document does: AWS, Azure and Google
 * do not have it.
 */
export async function detect(
  { config, host }: OpenstackDetectDeps,
  context: Context,
): Promise<'yes' | 'no' | 'unknown'> {
  const firmware = await readFirmware(['sys_vendor', 'product_name', 'chassis_asset_tag'], host);
  const has = (name: string, pattern: RegExp): boolean => pattern.test(firmware[name] ?? '');
  if (has('chassis_asset_tag', otherCloudTag)) return 'no';
  const metaData = await readMetaData({ config, host }, context);
  const owner = metaData === undefined ? undefined : ownerOf(metaData);
  if (owner !== undefined) return owner === 'nova' ? 'yes' : 'no';
  const isPossible = has('sys_vendor', /^$/) || has('product_name', novaProduct) || has('chassis_asset_tag', novaTag);
  return isPossible ? 'unknown' : 'no';
}

/** `undefined`: there is none, or it could not be read. */
async function readMetaData({ config, host }: OpenstackDetectDeps, context: Context): Promise<string | undefined> {
  const { configDrive } = config;
  const onDrive =
    configDrive === undefined ? undefined : await readDriveMetaData(configDrive, host).catch(() => undefined);
  if (onDrive !== undefined) return onDrive;
  return withinMetadataTimeout((limited) => readServiceMetaData(host, limited), context).catch(() => undefined);
}
