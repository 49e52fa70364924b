import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createAuthority } from '../authority.ts';
import { freePort } from '../control-plane/free-port.ts';
import { createProcesses } from '../control-plane/processes.ts';
import type { Processes } from '../control-plane/processes.ts';
import { startSupervised } from '../../../build/supervised-process.ts';
import { makeWorkDirectory } from '../control-plane/work-directory.ts';
import type { WorkDirectory } from '../control-plane/work-directory.ts';
import { createNamespace } from '../network/namespace.ts';
import type { Namespace } from '../network/namespace.ts';
import { findIp } from '../network/support.ts';
import { openAdmin } from './admin.ts';
import type { Admin } from './admin.ts';
import { fillCatalog } from './catalog.ts';
import type { PublicUrls } from './catalog.ts';
import { findOpenStack } from './find-openstack.ts';
import type { FoundOpenStack } from './find-openstack.ts';
import { openFront } from './front.ts';
import type { Absence, Front, FrontRequest } from './front.ts';
import { openServers } from './servers.ts';
import type { Servers } from './servers.ts';
import { isServing, serviceNames, serviceProgram, socketOf } from './services.ts';
import type { ServiceName } from './services.ts';
import { writeSettings } from './settings.ts';
import type { OpenStackSettings } from './settings.ts';

/** Keystone, Nova and Neutron, each behind TLS on 127.0.0.1, and Nova's metadata service on a socket. */
export interface OpenStack {
  /** Of the services' files. The functions that create something take it. */
  readonly directory: string;
  readonly logDirectory: string;
  readonly urls: PublicUrls;
  /** PEM file of the authority that signed their certificates. */
  readonly authorityFile: string;
  readonly admin: Admin;
  readonly servers: Servers;
  /** Those that came to the public addresses, in the order in which they ended. */
  requests(): readonly FrontRequest[];
  takeAway(service: PublicService, how: Absence): Promise<void>;
  bringBack(service: PublicService): Promise<void>;
  /** The process itself, which the other services miss too. */
  stopService(service: ServiceName): Promise<void>;
  /** Takes effect when a service starts. */
  changeSettings(settings: OpenStackSettings): Promise<void>;
  startService(service: ServiceName): Promise<void>;
  stop(): Promise<void>;
  /** The same, except for the logs. */
  stopAndKeepLogs(): Promise<void>;
}

export type PublicService = keyof PublicUrls;

const publicServices = ['keystone', 'nova', 'neutron'] as const;

/** Settles when all services respond. Everything ends with this process at the latest. */
export async function startOpenStack(settings: OpenStackSettings): Promise<OpenStack> {
  const found = await findOpenStack();
  if (!found.available) throw new Error(found.reason);
  const work = await makeWorkDirectory('openstack');
  const ending: Ending = [];
  try {
    return await startParts({ found, settings, work, ending });
  } catch (error) {
    await endAll(ending);
    await work.keepLogs();
    throw new Error(`${(error as Error).message}\nThe logs are in ${work.logs}`, { cause: error });
  }
}

/** What has to be ended, in the order in which it was started. */
type Ending = (() => Promise<void> | void)[];

interface StartContext {
  readonly found: FoundOpenStack;
  readonly settings: OpenStackSettings;
  readonly work: WorkDirectory;
  readonly ending: Ending;
}

async function startParts({ found, settings, work, ending }: StartContext): Promise<OpenStack> {
  const directory = join(work.path, 'lab');
  await cp(found.template, directory, { recursive: true });
  await mkdir(join(directory, 'run'));
  await writeSettings(directory, settings);
  const authority = await createAuthority(work.path);
  const namespace = await createNamespace({ addresses: [], hosts: {}, trust: authority.certificateFile });
  ending.push(() => namespace.remove());
  const processes = launchInside(namespace, work);
  ending.push(() => processes.killAll());
  const startService = (name: ServiceName): Promise<void> => {
    const program = serviceProgram(name, { root: found.root, work: directory });
    return processes.start(name, program, () => isServing(socketOf(directory, name)));
  };
  await allOrThrow(serviceNames.map(startService));
  const requests: FrontRequest[] = [];
  const ports = await freePorts();
  const urls = urlsAt(ports);
  const admin = await openAdmin(directory);
  await fillCatalog(admin, urls);
  const certificate = await authority.issue('services', ['127.0.0.1']);
  const opened = publicServices.map(async (service): Promise<readonly [PublicService, Front]> => {
    const socketPath = socketOf(directory, service);
    const onRequest = (request: FrontRequest): void => void requests.push(request);
    const front = await openFront({ service, socketPath, port: ports[service], certificate, onRequest });
    ending.push(() => front.close());
    return [service, front];
  });
  const fronts = Object.fromEntries(await Promise.all(opened)) as Record<PublicService, Front>;
  return {
    directory,
    logDirectory: work.logs,
    urls,
    authorityFile: authority.certificateFile,
    admin,
    servers: await openServers({ namespace, root: found.root, directory }, admin.userId),
    requests: () => [...requests],
    takeAway: (service, how) => fronts[service].takeAway(how),
    bringBack: (service) => fronts[service].bringBack(),
    stopService: (name) => processes.stop(name),
    startService,
    changeSettings: (changed) => writeSettings(directory, changed),
    stop: async () => {
      await endAll(ending);
      await work.remove();
    },
    stopAndKeepLogs: async () => {
      await endAll(ending);
      await work.keepLogs();
    },
  };
}

function launchInside(namespace: Namespace, { path, logs }: WorkDirectory): Processes<ServiceName> {
  const ip = findIp() ?? 'ip';
  return createProcesses<ServiceName>({
    directory: path,
    logs,
    launch: ({ file, args, ...options }) =>
      startSupervised({ ...options, file: ip, args: ['netns', 'exec', namespace.name, file, ...args] }),
  });
}

/** Fails only when none is under way any more. */
async function allOrThrow(actions: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(actions);
  await Promise.all(actions);
}

async function freePorts(): Promise<Readonly<Record<PublicService, number>>> {
  return { keystone: await freePort(), nova: await freePort(), neutron: await freePort() };
}

function urlsAt(ports: Readonly<Record<PublicService, number>>): PublicUrls {
  const origin = (service: PublicService): string => `https://127.0.0.1:${String(ports[service])}`;
  return { keystone: `${origin('keystone')}/v3`, nova: `${origin('nova')}/v2.1`, neutron: origin('neutron') };
}

async function endAll(ending: Ending): Promise<void> {
  for (const end of ending.toReversed()) await end();
}
