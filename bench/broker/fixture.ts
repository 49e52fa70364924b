import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hostArchitecture } from '../../build/architecture.ts';
import { executablePath } from '../../build/executables/executable.ts';
import { requestBytes } from '../../test/system/programs/provider.ts';
import { createAwsNetwork } from '../../test/lab/aws-network.ts';
import { labTenant } from '../../test/lab/clouds/azure/state.ts';
import { createAzureNetwork } from '../../test/lab/azure-network.ts';
import type { Namespace } from '../../test/lab/network/namespace.ts';
import { createWarmHost, pluginDirectory, pluginName } from '../../test/lab/warm/warm-host.ts';
import type { WarmHost } from '../../test/lab/warm/warm-host.ts';
import type { Variant } from '../harness/variant.ts';
import { preparePeer } from '../peers/prepare-peer.ts';

/** A node of one cloud with all that is compared on it. */
export interface BrokerFixture {
  readonly cloud: BrokerCloudName;
  readonly host: WarmHost;
  readonly variants: readonly Variant[];
  readonly farHosts: readonly string[];
  stop(): Promise<void>;
}

export type BrokerCloudName = keyof typeof environments;

export const variantNames = {
  true: '/bin/true',
  node: 'bare node',
  front: 'front end',
  cold: 'credential provider, cold',
};

interface CloudEnvironment {
  readonly peer: 'ecr-credential-provider' | 'acr-credential-provider';
  readonly image: string;
  readonly farHosts: readonly string[];
  network(): Promise<{ readonly namespace: Namespace; stop(): Promise<void> }>;
  /** What the peer is called with; files go into the directory. */
  peerArgs(directory: string): Promise<readonly string[]>;
}

export const environments = {
  aws: {
    peer: 'ecr-credential-provider',
    image: '123456789012.dkr.ecr.us-west-2.amazonaws.com/app:1',
    farHosts: ['api.ecr.us-west-2.amazonaws.com'],
    network: () => createAwsNetwork({ regions: ['us-west-2'], ipVersions: [4] }),
    peerArgs: () => Promise.resolve([]),
  },
  azure: {
    peer: 'acr-credential-provider',
    image: 'acme.azurecr.io/app:1',
    farHosts: ['acme.azurecr.io', 'login.microsoftonline.com'],
    network: () => createAzureNetwork({ registries: [], authorities: [], ipVersions: [4] }),
    peerArgs: async (directory) => {
      const file = join(directory, 'azure.json');
      const settings = { cloud: 'AzurePublicCloud', tenantId: labTenant, useManagedIdentityExtension: true };
      await writeFile(file, JSON.stringify(settings));
      return [file];
    },
  },
} satisfies Readonly<Record<string, CloudEnvironment>>;

const homeVariable = { HOME: '/nowhere' };

export async function openBrokerFixture(cloud: BrokerCloudName, log: (line: string) => void): Promise<BrokerFixture> {
  const environment: CloudEnvironment = environments[cloud];
  const peer = await preparePeer(environment.peer, log);
  const directory = await mkdtemp(join(tmpdir(), 'polycloud-bench-'));
  const network = await environment.network();
  const stop = async (): Promise<void> => {
    await network.stop();
    await rm(directory, { recursive: true });
  };
  const host = await createWarmHost(network.namespace);
  await host.startBroker();
  const stdinFile = join(directory, 'request.json');
  await writeFile(stdinFile, requestBytes({ image: environment.image }));
  const script = join(directory, 'bare.cjs');
  await writeFile(script, "require('node:fs').writeSync(1, '\\n');");
  // Not all of them block in their write while no process reads, so there is no moment to read their memory.
  const plain = { args: [], env: homeVariable, stdinFile, answers: false };
  const ours = executablePath(pluginName, hostArchitecture());
  return {
    cloud,
    host,
    farHosts: environment.farHosts,
    variants: [
      { ...plain, name: variantNames.true, file: '/bin/true' },
      { ...plain, name: variantNames.node, file: process.execPath, args: [script] },
      { ...plain, name: variantNames.front, file: `${pluginDirectory}/${pluginName}` },
      { ...plain, name: variantNames.cold, file: ours },
      { ...plain, name: environment.peer, file: peer, args: await environment.peerArgs(directory) },
    ],
    stop,
  };
}
