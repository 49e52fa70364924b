import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { controlSocketOf } from '../cloud-network.ts';
import type { CloudNetwork } from '../cloud-network.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import { createProcesses } from '../control-plane/processes.ts';
import type { Processes } from '../control-plane/processes.ts';
import { startSupervised } from '../../../build/supervised-process.ts';
import { findIp } from '../network/support.ts';
import { openTunnel, inboundSocketOf } from './gateway.ts';
import type { NamespaceProxyOptions } from './gateway.ts';
import type { NodeEnvironment, NodeContext } from './environment.ts';
import type { NodeOptions } from './node-options.ts';
import type { RegistryHost } from './registry/authorization.ts';
import type { AuthProxyOptions } from './registry/auth-proxy.ts';
import { authProxyProgram, registryProgram, registrySocketOf } from './registry/registry.ts';
import { registryAddress } from './registry/registry-site.ts';
import { isListening } from './listening.ts';
import { withPrefix, withOwnEnvironment } from './launch.ts';

/** The other programs in the node's network: the gate, and the registry in two parts. */
export interface Services {
  readonly processes: Processes<string>;
  startRegistryProxy(): Promise<void>;
}

export async function startServices<Name extends EmbeddedName>(
  context: NodeContext<Name>,
  { network }: NodeEnvironment<Name>,
  proxy: NamespaceProxyOptions,
): Promise<Services> {
  const { directory, cleanup } = context;
  const enter = [findIp() ?? 'ip', 'netns', 'exec', network.namespace.name];
  const processes = createProcesses<string>({
    directory: directory.path,
    logs: directory.logs,
    launch: (program) => startSupervised(withPrefix(withOwnEnvironment(program), enter)),
  });
  cleanup.add(() => processes.killAll());
  const inboundSocket = inboundSocketOf(directory.path);
  const startProxy = processes.start('gate', proxyProgram(proxy), async () => existsSync(inboundSocket));
  const socket = registrySocketOf(directory.path);
  const registry = await registryProgram(directory.path);
  const startRegistry = processes.start('docker-registry', registry, () => isListening(socket));
  const registryProxy = authProxyProgram(await registryProxyOptions(context, network));
  const isRegistryProxyOpen = (): Promise<boolean> => acceptsConnections(inboundSocket, registryAddress);
  const startRegistryProxy = (): Promise<void> => processes.start('registry', registryProxy, isRegistryProxyOpen);
  await both(startProxy, startRegistry);
  await startRegistryProxy();
  return { processes, startRegistryProxy };
}

const proxyFile = fileURLToPath(new URL('namespace-proxy.ts', import.meta.url));

function proxyProgram(options: NamespaceProxyOptions): { readonly file: string; readonly args: readonly string[] } {
  return { file: process.execPath, args: [proxyFile, JSON.stringify(options)] };
}

async function registryProxyOptions<Name extends EmbeddedName>(
  { options, directory }: NodeContext<Name>,
  { namespace, authority }: CloudNetwork<Name>,
): Promise<AuthProxyOptions> {
  const registries = options.registries.flatMap(({ cloud, hosts, authService }) => {
    const controlSocket = controlSocketOf(namespace.name, cloud);
    const address = authService === undefined ? undefined : addressOf(options, cloud, authService);
    const service = address === undefined ? {} : { service: { address, authorityFile: authority.certificateFile } };
    return hosts.map((host): [string, RegistryHost] => [host, { cloud, controlSocket, ...service }]);
  });
  const names = registries.map(([host]) => host);
  return {
    address: registryAddress,
    // A certificate has at least one name.
    tls: await authority.issue('registries', ['registry.lab', ...names]),
    registries: Object.fromEntries(registries),
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

async function acceptsConnections(inboundSocket: string, address: string): Promise<boolean> {
  try {
    (await openTunnel(inboundSocket, { address, port: 443 })).destroy();
    return true;
  } catch {
    return false;
  }
}
