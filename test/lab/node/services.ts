import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { controlSocketOf } from '../cloud-network.ts';
import type { CloudNetwork } from '../cloud-network.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import { createCrew } from '../control-plane/crew.ts';
import type { Crew } from '../control-plane/crew.ts';
import { startSupervised } from '../control-plane/supervised-process.ts';
import { findIp } from '../network/support.ts';
import { openTunnel, wayInSocketOf } from './gateway.ts';
import type { GateOptions } from './gateway.ts';
import type { Land, Plot } from './ground.ts';
import type { NodeOptions } from './node-options.ts';
import type { Door } from './registry/doorkeeper.ts';
import type { FrontOptions } from './registry/front.ts';
import { frontProgram, registryProgram, registrySocketOf } from './registry/registry.ts';
import { registryAddress } from './registry/registry-site.ts';
import { isListening } from './listening.ts';
import { prefixed, withOwnEnvironment } from './launch.ts';

/** What stands beside the node in its network: the gate, and the registry in two parts. */
export interface Services {
  readonly crew: Crew<string>;
  startFront(): Promise<void>;
}

export async function startServices<Name extends EmbeddedName>(
  plot: Plot<Name>,
  { network }: Land<Name>,
  gate: GateOptions,
): Promise<Services> {
  const { directory, undo } = plot;
  const enter = [findIp() ?? 'ip', 'netns', 'exec', network.namespace.name];
  const crew = createCrew<string>({
    directory: directory.path,
    logs: directory.logs,
    launch: (program) => startSupervised(prefixed(withOwnEnvironment(program), enter)),
  });
  undo.add(() => crew.killAll());
  const wayIn = wayInSocketOf(directory.path);
  const startGate = crew.start('gate', gateProgram(gate), async () => existsSync(wayIn));
  const socket = registrySocketOf(directory.path);
  const registry = await registryProgram(directory.path);
  const startRegistry = crew.start('docker-registry', registry, () => isListening(socket));
  const front = frontProgram(await frontOptions(plot, network));
  const isFrontOpen = (): Promise<boolean> => answers(wayIn, registryAddress);
  const startFront = (): Promise<void> => crew.start('registry', front, isFrontOpen);
  await both(startGate, startRegistry);
  await startFront();
  return { crew, startFront };
}

const gateFile = fileURLToPath(new URL('gate.ts', import.meta.url));

function gateProgram(options: GateOptions): { readonly file: string; readonly args: readonly string[] } {
  return { file: process.execPath, args: [gateFile, JSON.stringify(options)] };
}

async function frontOptions<Name extends EmbeddedName>(
  { options, directory }: Plot<Name>,
  { namespace, authority }: CloudNetwork<Name>,
): Promise<FrontOptions> {
  const doors = options.registries.flatMap(({ cloud, hosts, doorkeeper }) => {
    const controlSocket = controlSocketOf(namespace.name, cloud);
    const address = doorkeeper === undefined ? undefined : addressOf(options, cloud, doorkeeper);
    const service = address === undefined ? {} : { service: { address, authorityFile: authority.certificateFile } };
    return hosts.map((host): [string, Door] => [host, { cloud, controlSocket, ...service }]);
  });
  const names = doors.map(([host]) => host);
  return {
    address: registryAddress,
    // A certificate has at least one name.
    tls: await authority.issue('registries', ['registry.lab', ...names]),
    doors: Object.fromEntries(doors),
    registrySocket: registrySocketOf(directory.path),
  };
}

function addressOf<Name extends EmbeddedName>({ sites }: NodeOptions<Name>, cloud: Name, service: string): string {
  const services = sites.flatMap((site) => (site.cloud === cloud ? site.services : []));
  const address = services.find((each) => each.service === service)?.addresses[4];
  if (address === undefined) throw new Error(`${cloud} has no service ${service}`);
  return address;
}

/** Fails only after both have ended. */
async function both(one: Promise<void>, other: Promise<void>): Promise<void> {
  await Promise.allSettled([one, other]);
  await Promise.all([one, other]);
}

async function answers(wayIn: string, address: string): Promise<boolean> {
  try {
    (await openTunnel(wayIn, { address, port: 443 })).destroy();
    return true;
  } catch {
    return false;
  }
}
