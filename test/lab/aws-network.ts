import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createAuthority } from './authority.ts';
import type { TlsFiles, ListenerOptions } from './clouds/listener.ts';
import { hostsOf } from './clouds/aws/hosts.ts';
import type { ProductionHost } from './clouds/aws/hosts.ts';
import type { AwsState } from './clouds/aws/state.ts';
import { controlRemotely } from './clouds/control.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import type { ServeOptions } from './clouds/serve.ts';
import type { Namespace, ProcessInside } from './network/namespace.ts';
import { createNamespace } from './network/namespace.ts';
import { uniqueName, workDirectoryOf } from './network/names.ts';

export interface AwsNetworkOptions {
  /** Whose API hosts exist; a region's name tells its partition. The first is the one that `aws.url` names. */
  readonly regions: readonly [string, ...string[]];
  /** Which addresses exist inside. As in AWS itself, only the dual-stack host names have one of IPv6. */
  readonly ipVersions: readonly (4 | 6)[];
}

export interface AwsNetwork {
  readonly namespace: Namespace;
  readonly aws: LabCloud<AwsState>;
  /** PEM file of the authority that everything inside trusts. */
  readonly authorityFile: string;
  stop(): Promise<void>;
}

/** The embedded AWS at its production addresses and names, inside a network namespace. */
export async function createAwsNetwork(options: AwsNetworkOptions): Promise<AwsNetwork> {
  const name = uniqueName();
  const directory = workDirectoryOf(name);
  await mkdir(directory, { mode: 0o700 });
  try {
    return await assemble(options, name, directory);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

type Addresses = Readonly<Record<4 | 6, string>>;

const metadataAddresses: Addresses = { 4: '169.254.169.254', 6: 'fd00:ec2::254' };

/** One address for each service, so that each can refuse connections by itself. */
const serviceAddresses: Readonly<Record<ProductionHost['service'], Addresses>> = {
  ec2: { 4: '10.200.0.4', 6: 'fd00:200::4' },
  ecr: { 4: '10.200.0.1', 6: 'fd00:200::1' },
  'ecr-public': { 4: '10.200.0.2', 6: 'fd00:200::2' },
  sts: { 4: '10.200.0.3', 6: 'fd00:200::3' },
};

const allAddresses = [metadataAddresses, ...Object.values(serviceAddresses)];

async function assemble(
  { regions, ipVersions }: AwsNetworkOptions,
  name: string,
  directory: string,
): Promise<AwsNetwork> {
  const hosts = regions.flatMap(hostsOf);
  const authority = await createAuthority(directory);
  const tls = await authority.issue('aws', [...new Set(hosts.map((host) => host.name))]);
  const namespace = await createNamespace({
    name,
    addresses: allAddresses.flatMap((addresses) => ipVersions.map((version) => addresses[version])),
    hosts: Object.fromEntries(hosts.map((host) => [host.name, addressesOf(host)])),
    trust: authority.certificateFile,
  });
  const controlSocket = join(directory, 'control.sock');
  const child = startServing(namespace, { cloud: 'aws', controlSocket, listeners: listenersFor(ipVersions, tls) });
  async function stop(): Promise<void> {
    child.stdin.end();
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    namespace.remove();
  }
  await ready(child).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const aws = controlRemotely<AwsState>({ socketPath: controlSocket, urls: urlsIn(regions[0]), stop });
  return { namespace, aws, authorityFile: authority.certificateFile, stop };
}

function addressesOf({ service, dualStack }: ProductionHost): readonly string[] {
  const addresses = serviceAddresses[service];
  return dualStack ? [addresses[6], addresses[4]] : [addresses[4]];
}

function listenersFor(ipVersions: readonly (4 | 6)[], tls: TlsFiles): readonly ListenerOptions[] {
  return ipVersions.flatMap((version) => [
    { service: 'imds', address: metadataAddresses[version], port: 80 },
    ...Object.entries(serviceAddresses).map(([service, addresses]) => ({
      service,
      address: addresses[version],
      port: 443,
      tls,
    })),
  ]);
}

function urlsIn(region: string): Record<string, string> {
  const urls = hostsOf(region)
    .toReversed()
    .map(({ service, name }) => [service, `https://${name}`] as const);
  return { imds: `http://${metadataAddresses[4]}`, ...Object.fromEntries(urls) };
}

const serveFile = fileURLToPath(new URL('clouds/serve.ts', import.meta.url));

function startServing(namespace: Namespace, options: ServeOptions): ProcessInside {
  return namespace.start(process.execPath, [serveFile, JSON.stringify(options)], {});
}

async function ready(child: ProcessInside): Promise<void> {
  const said = text(child.stderr);
  const ended = once(child, 'exit').then(async () => {
    throw new Error(`The embedded AWS did not start: ${await said}`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
}
