import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import { Failure } from '../../../lib/failure.ts';
import type { Context } from '../../../lib/context.ts';
import type { Host } from '../../../lib/host.ts';
import type { Instance } from '../../cloud.ts';
import { toInstance } from '../instance.ts';
import { readConfigDrive } from './config-drive.ts';
import { readOwnAddresses } from './own-addresses.ts';
import { parseMetadata } from './parse.ts';
import { readService } from './session.ts';

export interface OpenstackDescribeDeps {
  readonly config: OpenstackConfig;
  readonly host: Pick<Host, 'readText'>;
  /** Of the machine's interfaces, by MAC address. */
  readonly readOwn?: typeof readOwnAddresses;
}

/**
 * Everything that a Node needs, from the config drive if one is configured and mounted, else from the metadata service.
 * Throws a `Failure` if it cannot be read.
 */
export async function describeInstance(
  { config, host, readOwn = readOwnAddresses }: OpenstackDescribeDeps,
  context: Context,
): Promise<Instance> {
  refuseUnknowable(config);
  const { configDrive } = config;
  const onDrive = configDrive === undefined ? undefined : await readConfigDrive(configDrive, host);
  const texts = onDrive ?? (await readService(host, context));
  const instance = toInstance(parseMetadata(texts, readOwn()), config.region, config);
  return onDrive === undefined ? instance : { ...instance, unread: ['external-addresses'] };
}

/** The metadata has neither the names of networks nor the region. */
function refuseUnknowable({ publicNetworks, internalNetworks, regionInProviderId, region }: OpenstackConfig): void {
  if (publicNetworks.length + internalNetworks.length > 0) {
    throw new Failure('misconfigured', 'the metadata of OpenStack does not have the names of networks', {
      remedy:
        'leave out openstack.publicNetworks and internalNetworks for agents, or leave the Nodes to the controller (agent.nodeSync.enabled: false in the chart)',
    });
  }
  if (regionInProviderId && region === undefined) {
    throw new Failure(
      'misconfigured',
      'the providerID shall have the region, which the metadata of OpenStack does not have',
      {
        remedy: 'set openstack.region for agents',
      },
    );
  }
}
