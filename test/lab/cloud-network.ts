import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Authority } from './authority.ts';
import { createAuthority } from './authority.ts';
import { controlRemotely } from './clouds/control.ts';
import type { EmbeddedName, StateOf } from './clouds/embedded.ts';
import type { LabCloud } from './clouds/lab-cloud.ts';
import type { ListenerOptions, TlsFiles } from './clouds/listener.ts';
import type { ServeOptions } from './clouds/serve.ts';
import type { IpVersion, Site, SiteService } from './clouds/site.ts';
import type { Namespace, ProcessInside } from './network/namespace.ts';
import { createNamespace } from './network/namespace.ts';
import { uniqueName, workDirectoryOf } from './network/names.ts';

export interface CloudNetworkOptions<Name extends EmbeddedName> {
  readonly sites: readonly Site<Name>[];
  /** Whose machine this is: the metadata service of no other cloud is there. */
  readonly machineOf: Name | 'nobody';
  /** Which addresses exist inside. */
  readonly ipVersions: readonly IpVersion[];
}

export interface CloudNetwork<Name extends EmbeddedName> {
  readonly namespace: Namespace;
  readonly clouds: { readonly [Each in Name]: LabCloud<StateOf<Each>> };
  /** What everything inside trusts. */
  readonly authority: Authority;
  /** Its PEM file. */
  readonly authorityFile: string;
  stop(): Promise<void>;
}

/** Embedded clouds at their production addresses and names, inside one network namespace. */
export async function createCloudNetwork<Name extends EmbeddedName>(
  options: CloudNetworkOptions<Name>,
): Promise<CloudNetwork<Name>> {
  const name = uniqueName();
  const directory = workDirectoryOf(name);
  await mkdir(directory, { mode: 0o700 });
  try {
    return await createNetwork(options, name, directory);
  } catch (error) {
    await rm(directory, { recursive: true, force: true });
    throw error;
  }
}

async function createNetwork<Name extends EmbeddedName>(
  options: CloudNetworkOptions<Name>,
  name: string,
  directory: string,
): Promise<CloudNetwork<Name>> {
  const { ipVersions } = options;
  const sites = options.sites.map(({ cloud, services }) => ({
    cloud,
    services: services.filter(({ ownMachinesOnly }) => !ownMachinesOnly || cloud === options.machineOf),
  }));
  const authority = await createAuthority(directory);
  const namespace = await createNamespace({
    name,
    addresses: [...new Set(sites.flatMap(({ services }) => services.flatMap((each) => addressesOf(each, ipVersions))))],
    hosts: Object.fromEntries(sites.flatMap(({ services }) => services.flatMap(namesOf))),
    trust: authority.certificateFile,
  });
  const started: StartedSite[] = [];
  async function stop(): Promise<void> {
    await Promise.all(started.map(stopSite));
    namespace.remove();
  }
  try {
    for (const site of sites) started.push(await startSite(site, { namespace, authority, ipVersions }));
    await Promise.all(started.map(waitUntilReady));
  } catch (error) {
    await stop();
    throw error;
  }
  const clouds = Object.fromEntries(
    started.map(({ site, controlSocket }) => [
      site.cloud,
      controlRemotely({ socketPath: controlSocket, urls: urlsOf(site.services), stop }),
    ]),
  ) as unknown as CloudNetwork<Name>['clouds'];
  return { namespace, clouds, authority, authorityFile: authority.certificateFile, stop };
}

/** Where a cloud of the network with this name is controlled. */
export function controlSocketOf(network: string, cloud: EmbeddedName): string {
  return join(workDirectoryOf(network), `${cloud}.sock`);
}

function addressesOf({ addresses }: SiteService, ipVersions: readonly IpVersion[]): readonly string[] {
  return ipVersions.flatMap((version) => addresses[version] ?? []);
}

function namesOf({ addresses, hosts }: SiteService): ReadonlyArray<readonly [string, readonly string[]]> {
  return hosts.map(({ name, ipVersions }) => [name, ipVersions.flatMap((version) => addresses[version] ?? [])]);
}

interface SiteContext {
  readonly namespace: Namespace;
  readonly authority: Authority;
  readonly ipVersions: readonly IpVersion[];
}

interface StartedSite {
  readonly site: Site<EmbeddedName>;
  readonly child: ProcessInside;
  readonly controlSocket: string;
}

const serveFile = fileURLToPath(new URL('clouds/serve.ts', import.meta.url));

async function startSite(site: Site<EmbeddedName>, context: SiteContext): Promise<StartedSite> {
  const { namespace, authority, ipVersions } = context;
  const { cloud, services } = site;
  const names = services.flatMap(({ hosts }) => hosts.map((host) => host.name));
  const tls = await authority.issue(cloud, [...new Set(names)]);
  const controlSocket = controlSocketOf(namespace.name, cloud);
  const listeners = services.flatMap((service) => listenersOf(service, ipVersions, tls));
  const options: ServeOptions = { cloud, controlSocket, listeners };
  const child = namespace.start(process.execPath, [serveFile, JSON.stringify(options)], {});
  return { site, child, controlSocket };
}

function listenersOf(site: SiteService, ipVersions: readonly IpVersion[], tls: TlsFiles): readonly ListenerOptions[] {
  return addressesOf(site, ipVersions).map((address) => {
    const { service } = site;
    return site.tls ? { service, address, port: 443, tls } : { service, address, port: 80 };
  });
}

function urlsOf(services: readonly SiteService[]): Record<string, string> {
  return Object.fromEntries(
    services.map(({ service, tls, addresses, hosts }) => {
      const host = hosts[0]?.name ?? addresses[4] ?? `[${addresses[6] ?? ''}]`;
      return [service, `${tls ? 'https' : 'http'}://${host}`];
    }),
  );
}

async function waitUntilReady({ child, site }: StartedSite): Promise<void> {
  const stderr = text(child.stderr);
  const ended = once(child, 'exit').then(async () => {
    throw new Error(`The embedded ${site.cloud} did not start: ${await stderr}`);
  });
  await Promise.race([once(child.stdout, 'data'), ended]);
}

async function stopSite({ child }: StartedSite): Promise<void> {
  child.stdin.end();
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}
