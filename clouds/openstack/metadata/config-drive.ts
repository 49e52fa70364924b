import { Failure } from '../../../lib/failure.ts';
import type { Host } from '../../../lib/host.ts';
import { parseJson } from '../../../lib/json.ts';
import { Ec2MetaData } from './documents.ts';
import type { OpenstackMetadataTexts } from './documents.ts';

/**
 * Reads a mounted config drive; `undefined`: nothing is mounted there. Its files are written before the server starts. A
 * server gets its floating address later, so there is no value for it.
 * https://docs.openstack.org/nova/latest/user/metadata.html#config-drives
 */
export async function readConfigDrive(
  directory: string,
  host: Pick<Host, 'readText'>,
): Promise<OpenstackMetadataTexts | undefined> {
  const [metaData, networkData, ec2] = await Promise.all([
    readDriveMetaData(directory, host),
    host.readText(`${directory}/openstack/latest/network_data.json`),
    host.readText(`${directory}/ec2/latest/meta-data.json`),
  ]);
  if (metaData === undefined) return undefined;
  const { 'instance-type': type, 'local-ipv4': localIpv4 } = ec2 === undefined ? {} : parseEc2(ec2, directory);
  return { metaData, networkData, type, localIpv4: localIpv4 ?? undefined, publicIpv4: undefined };
}

export function readDriveMetaData(directory: string, host: Pick<Host, 'readText'>): Promise<string | undefined> {
  return host.readText(`${directory}/openstack/latest/meta_data.json`);
}

function parseEc2(text: string, directory: string): Partial<Ec2MetaData> {
  const parsed = Ec2MetaData.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new Failure('invalid-response', `ec2/latest/meta-data.json on the config drive ${directory} cannot be read`, {
    remedy: 'check openstack.configDrive, and that the drive is mounted there',
  });
}
