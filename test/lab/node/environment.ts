import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createCloudNetwork } from '../cloud-network.ts';
import type { CloudNetwork } from '../cloud-network.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import { startControlPlane } from '../control-plane/control-plane.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { freePort } from '../control-plane/free-port.ts';
import type { WorkDirectory } from '../control-plane/work-directory.ts';
import { filesOf } from '../network/names.ts';
import { egressConfiguration, openGateway, inboundSocketOf } from './gateway.ts';
import type { NamespaceProxyOptions } from './gateway.ts';
import { configureNetwork } from './node-network.ts';
import type { NodeOptions } from './node-options.ts';
import { registryAddress } from './registry/registry-site.ts';
import { createNodeNamespaces } from './node-namespaces.ts';
import type { NodeNamespaces } from './node-namespaces.ts';
import type { Cleanup } from './cleanup.ts';

/** Where one node keeps what it has, and what has to be undone after it. */
export interface NodeContext<Name extends EmbeddedName> {
  readonly options: NodeOptions<Name>;
  readonly directory: WorkDirectory;
  readonly cleanup: Cleanup;
}

/** The address of the Service of the API server: the first of the range. Certificates name it. */
const serviceAddress = '10.96.0.1';

/** Out here, where tests reach it; inside it is at the same address and port, and at that of its Service. */
export async function prepareCluster<Name extends EmbeddedName>({
  directory,
  cleanup,
}: NodeContext<Name>): Promise<ApiServerEndpoint> {
  const port = await freePort();
  const inside = [
    { address: '127.0.0.1', port },
    { address: serviceAddress, port: 443 },
  ];
  const gateway = await openGateway(directory.path, port, inside);
  cleanup.add(() => gateway.close());
  const egressFile = join(directory.path, 'egress.json');
  await writeFile(egressFile, JSON.stringify(egressConfiguration(inboundSocketOf(directory.path))));
  return { port, egressFile, proxy: gateway.options };
}

export interface ApiServerEndpoint {
  readonly port: number;
  readonly egressFile: string;
  readonly proxy: NamespaceProxyOptions;
}

export async function startCluster<Name extends EmbeddedName>(
  { options, directory, cleanup }: NodeContext<Name>,
  { port, egressFile }: ApiServerEndpoint,
): Promise<ControlPlane> {
  const extraArguments = { 'kube-apiserver': [`--egress-selector-config-file=${egressFile}`] };
  const plane = await startControlPlane({ parts: options.parts, port, extraArguments });
  cleanup.add(async (logs) => {
    if (logs === 'keep') await keepLogs(plane, directory);
    await plane.stop();
  });
  return plane;
}

/** Among those of the node. */
async function keepLogs(plane: ControlPlane, directory: WorkDirectory): Promise<void> {
  await plane.stopAndKeepLogs();
  await rename(plane.logDirectory, join(directory.logs, 'control-plane'));
}

export interface NodeEnvironment<Name extends EmbeddedName> {
  readonly network: CloudNetwork<Name>;
  readonly namespaces: NodeNamespaces;
}

/** The network with its clouds, and in it the machine with nothing running. */
export async function createEnvironment<Name extends EmbeddedName>({
  options,
  directory,
  cleanup,
}: NodeContext<Name>): Promise<NodeEnvironment<Name>> {
  const { sites, machineOf, ipVersions, machine, registries } = options;
  const network = await createCloudNetwork({ sites, machineOf, ipVersions });
  cleanup.add(() => network.stop());
  const others = { [registryAddress]: registries.flatMap(({ hosts }) => hosts), [serviceAddress]: [] };
  await configureNetwork(network.namespace.name, { ...machine, others });
  const namespaces = await createNodeNamespaces({
    network: network.namespace.name,
    hostname: machine.hostname,
    dmi: machine.dmi,
    serviceManager: options.serviceManager,
    etcFiles: filesOf(network.namespace.name),
    directory: directory.path,
    logs: directory.logs,
  });
  cleanup.add(() => namespaces.remove());
  return { network, namespaces };
}
