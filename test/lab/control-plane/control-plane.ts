import { join } from 'node:path';
import { writeAuditPolicy } from './audit.ts';
import { makeCertificates } from './certificates.ts';
import type { Certificates } from './certificates.ts';
import type { Clients } from './clients.ts';
import { createCrew } from './crew.ts';
import type { Crew } from './crew.ts';
import { findPrograms } from './find-programs.ts';
import { freePort } from './free-port.ts';
import { apiServerArguments, etcdArguments, optionalPartArguments } from './parts.ts';
import type { OptionalPartName, PartName } from './parts.ts';
import type { Programs } from './programs.ts';
import { isApiReady, isEtcdReady, isHealthy } from './readiness.ts';
import { adminOf, auditLogOf, certificatesOf, openShared } from './shared.ts';
import type { SharedControlPlane } from './shared.ts';
import { startSupervised } from './supervised-process.ts';
import { makeWorkDirectory } from './work-directory.ts';
import type { WorkDirectory } from './work-directory.ts';

export interface ControlPlaneOptions {
  /** Besides etcd and the API server. */
  readonly parts: readonly OptionalPartName[];
  /** Of the API server. A free one if it is left out. */
  readonly port?: number;
  /** Added to what a part is called with. */
  readonly extraArguments?: Readonly<Partial<Record<PartName, readonly string[]>>>;
  /** In place of those that are found here. */
  readonly programs?: Partial<Programs>;
}

/** A Kubernetes API of one's own on 127.0.0.1. It ends with this process at the latest, whatever ends that. */
export interface ControlPlane extends SharedControlPlane {
  /** With all that belongs to it. */
  readonly directory: string;
  /** Politely, which lets requests finish. */
  stopApiServer(): Promise<void>;
  killApiServer(): Promise<void>;
  /** On the same port, with the same data; settles when it is ready. */
  startApiServer(): Promise<void>;
  /** A part that is paused keeps its connections and says nothing. */
  pause(part: PartName): void;
  resume(part: PartName): void;
  pid(part: PartName): number;
  /** Nothing is left. Once is enough, more does no harm. */
  stop(): Promise<void>;
  /** The same, except for the logs. */
  stopAndKeepLogs(): Promise<void>;
}

/** Settles when everything asked for is ready. If that fails, the error says why and where the logs are. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const programs = { ...(await requirePrograms()), ...options.programs };
  const directory = await makeWorkDirectory('control-plane');
  const crew = createCrew<PartName>({ directory: directory.path, logs: directory.logs, launch: startSupervised });
  const site = { options, programs, directory, crew };
  try {
    // The API server has enough to do before it needs etcd.
    const [plane] = await allOrNone(crew, [bringUp(site), startEtcd(site)]);
    return plane;
  } catch (error) {
    await directory.keepLogs();
    throw new Error(`${(error as Error).message}\nThe logs are in ${directory.logs}`, { cause: error });
  }
}

async function requirePrograms(): Promise<Programs> {
  const found = await findPrograms();
  if (!found.available) throw new Error(found.reason);
  return found.programs;
}

interface Site {
  readonly options: ControlPlaneOptions;
  readonly programs: Programs;
  readonly directory: WorkDirectory;
  readonly crew: Crew<PartName>;
}

async function bringUp(site: Site): Promise<ControlPlane> {
  const { options, programs, directory, crew } = site;
  const certificates = await makeCertificates(certificatesOf(directory.path));
  const port = options.port ?? (await freePort());
  const url = `https://127.0.0.1:${String(port)}`;
  const ask = adminOf(url, certificates);
  const auditLogFile = auditLogOf(directory.logs);
  const auditPolicyFile = await writeAuditPolicy(join(directory.path, 'audit-policy.yaml'));
  const setting = { directory: directory.path, certificates, auditPolicyFile, auditLogFile, port };
  const startApiServer = (): Promise<void> =>
    startPart(site, 'kube-apiserver', apiServerArguments(setting), () => isApiReady(ask));
  const place = { url, certificates, directory: directory.path, logDirectory: directory.logs };
  const [clients] = await allOrNone(crew, [openShared(place, programs.kubectl), startApiServer()]);
  const others = options.parts.map((name) => startOptionalPart(site, name, { certificates, clients }));
  await allOrNone(crew, others);
  return {
    ...clients,
    directory: directory.path,
    stopApiServer: () => crew.stop('kube-apiserver'),
    killApiServer: () => crew.kill('kube-apiserver'),
    startApiServer,
    ...ends(site),
  };
}

/** It needs no certificates: nobody else can reach its sockets. */
function startEtcd(site: Site): Promise<void> {
  const path = site.directory.path;
  return startPart(site, 'etcd', etcdArguments(path), () => isEtcdReady(path));
}

/** When one fails the rest is given up, and nothing is under way any more. */
async function allOrNone<T extends readonly unknown[]>(crew: Crew<PartName>, promises: T): Promise<AllOf<T>> {
  try {
    return await Promise.all(promises);
  } catch (error) {
    await crew.killAll();
    await Promise.allSettled(promises);
    throw error;
  }
}

type AllOf<T extends readonly unknown[]> = { -readonly [Position in keyof T]: Awaited<T[Position]> };

function startPart(
  { options, programs, crew }: Site,
  name: PartName,
  args: readonly string[],
  isReady: () => Promise<boolean>,
): Promise<void> {
  const extra = options.extraArguments?.[name] ?? [];
  return crew.start(name, { file: programs[name], args: [...args, ...extra] }, isReady);
}

interface Insiders {
  readonly certificates: Certificates;
  readonly clients: Clients;
}

async function startOptionalPart(site: Site, name: OptionalPartName, insiders: Insiders): Promise<void> {
  const { certificates, clients } = insiders;
  const port = await freePort();
  const kubeconfig = await clients.kubeconfigFor(`system:${name}`, []);
  const url = `https://127.0.0.1:${String(port)}`;
  const ask = adminOf(url, certificates);
  const args = optionalPartArguments(name, { certificates, port, kubeconfig });
  await startPart(site, name, args, () => isHealthy(ask));
}

function ends({ crew, directory }: Site): Pick<ControlPlane, EndsAndFaults> {
  return {
    pause: (part) => crew.signal(part, 'SIGSTOP'),
    resume: (part) => crew.signal(part, 'SIGCONT'),
    pid: (part) => crew.pid(part),
    stop: async () => {
      await crew.killAll();
      await directory.remove();
    },
    stopAndKeepLogs: async () => {
      await crew.killAll();
      await directory.keepLogs();
    },
  };
}

type EndsAndFaults = 'pause' | 'resume' | 'pid' | 'stop' | 'stopAndKeepLogs';
