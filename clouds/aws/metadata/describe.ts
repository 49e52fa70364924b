import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { CloudSettings, Instance, NodeFacts } from '../../cloud.ts';
import type { AwsConfig, IpFamily } from '../../../schemas/config/aws.ts';
import { familiesOf, toInstance } from '../instance.ts';
import { openMetadata, refuseDisabled, withNodeRemedy } from './session.ts';
import type { MetadataSession } from './session.ts';
import { parseMetadata, readMacs } from './parse.ts';
import type { InterfaceTexts, AwsMetadataTexts } from './parse.ts';

/** https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-instance-metadata.html */
const paths: Readonly<Record<Exclude<keyof AwsMetadataTexts, 'interfaces'>, string>> = {
  instanceId: 'instance-id',
  type: 'instance-type',
  zone: 'placement/availability-zone',
  zoneId: 'placement/availability-zone-id',
  localHostname: 'local-hostname',
  publicHostname: 'public-hostname',
  publicIp: 'public-ipv4',
};
const macsPath = 'network/interfaces/macs/';
const listPaths: Readonly<Record<IpFamily, string>> = { ipv4: 'local-ipv4s', ipv6: 'ipv6s' };

/** Everything that a Node needs, from the metadata service. Throws a `Failure` if a part of it cannot be read. */
export async function describeInstance(
  node: NodeFacts,
  { env, config }: Pick<CloudSettings<AwsConfig>, 'env' | 'config'>,
  context: Context,
): Promise<Instance> {
  refuseDisabled(env);
  const families = familiesOf(config.nodeIpFamilies, node);
  try {
    const metadata = await openMetadata(env, context);
    const [texts, interfaces] = await Promise.all([readTexts(metadata), readInterfaces(metadata, families)]);
    return toInstance(parseMetadata({ ...texts, interfaces }), node, families);
  } catch (error) {
    throw error instanceof Failure ? withNodeRemedy(error) : error;
  }
}

async function readTexts(metadata: MetadataSession): Promise<Omit<AwsMetadataTexts, 'interfaces'>> {
  const read = Object.entries(paths).map(async ([name, path]) => [name, await readValue(metadata, path)] as const);
  return Object.fromEntries(await Promise.all(read)) as unknown as Omit<AwsMetadataTexts, 'interfaces'>;
}

/** One interface after the other, so that many interfaces do not mean many requests at once. */
async function readInterfaces(
  metadata: MetadataSession,
  families: readonly IpFamily[],
): Promise<readonly InterfaceTexts[]> {
  const interfaces: InterfaceTexts[] = [];
  for (const mac of readMacs(await readValue(metadata, macsPath))) {
    const folder = `${macsPath}${mac}/`;
    const list = async (family: IpFamily): Promise<string | undefined> =>
      families.includes(family) ? readValue(metadata, `${folder}${listPaths[family]}`) : undefined;
    const [device, card, ipv4, ipv6] = await Promise.all([
      readValue(metadata, `${folder}device-number`),
      readValue(metadata, `${folder}network-card`),
      list('ipv4'),
      list('ipv6'),
    ]);
    interfaces.push({ device, card, ipv4, ipv6 });
  }
  return interfaces;
}

function readValue(metadata: MetadataSession, path: string): Promise<string | undefined> {
  return metadata.read(`meta-data/${path}`);
}
