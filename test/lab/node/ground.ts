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
import { egressSettings, openGateway, wayInSocketOf } from './gateway.ts';
import type { GateOptions } from './gateway.ts';
import { furnishNetwork } from './node-network.ts';
import type { NodeOptions } from './node-options.ts';
import { registryAddress } from './registry/registry-site.ts';
import { createShell } from './shell.ts';
import type { Shell } from './shell.ts';
import type { Undo } from './undo.ts';

/** Where one node keeps what it has, and what has to be undone after it. */
export interface Plot<Name extends EmbeddedName> {
  readonly options: NodeOptions<Name>;
  readonly directory: WorkDirectory;
  readonly undo: Undo;
}

/** The address of the Service of the API server: the first of the range. Certificates name it. */
const serviceAddress = '10.96.0.1';

/** Out here, where tests reach it; inside it is at the same address and port, and at that of its Service. */
export async function prepareCluster<Name extends EmbeddedName>({ directory, undo }: Plot<Name>): Promise<Approach> {
  const port = await freePort();
  const inside = [
    { address: '127.0.0.1', port },
    { address: serviceAddress, port: 443 },
  ];
  const gateway = await openGateway(directory.path, port, inside);
  undo.add(() => gateway.close());
  const egressFile = join(directory.path, 'egress.json');
  await writeFile(egressFile, JSON.stringify(egressSettings(wayInSocketOf(directory.path))));
  return { port, egressFile, gate: gateway.options };
}

export interface Approach {
  readonly port: number;
  readonly egressFile: string;
  readonly gate: GateOptions;
}

export async function startCluster<Name extends EmbeddedName>(
  { options, directory, undo }: Plot<Name>,
  { port, egressFile }: Approach,
): Promise<ControlPlane> {
  const extraArguments = { 'kube-apiserver': [`--egress-selector-config-file=${egressFile}`] };
  const plane = await startControlPlane({ parts: options.parts, port, extraArguments });
  undo.add(async (logs) => {
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

export interface Land<Name extends EmbeddedName> {
  readonly network: CloudNetwork<Name>;
  readonly shell: Shell;
}

/** The network with its clouds, and in it the machine with nothing running. */
export async function layOut<Name extends EmbeddedName>({ options, directory, undo }: Plot<Name>): Promise<Land<Name>> {
  const { sites, machineOf, ipVersions, machine, registries } = options;
  const network = await createCloudNetwork({ sites, machineOf, ipVersions });
  undo.add(() => network.stop());
  const others = { [registryAddress]: registries.flatMap(({ hosts }) => hosts), [serviceAddress]: [] };
  await furnishNetwork(network.namespace.name, { ...machine, others });
  const shell = await createShell({
    network: network.namespace.name,
    hostname: machine.hostname,
    dmi: machine.dmi,
    etcFiles: filesOf(network.namespace.name),
    directory: directory.path,
    logs: directory.logs,
  });
  undo.add(() => shell.remove());
  return { network, shell };
}
