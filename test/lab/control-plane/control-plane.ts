import { join } from 'node:path';
import { writeAuditPolicy } from './audit.ts';
import { makeCertificates } from './certificates.ts';
import type { Certificates } from './certificates.ts';
import type { Clients } from './clients.ts';
import { createProcesses } from './processes.ts';
import type { Processes } from './processes.ts';
import { findPrograms } from './find-programs.ts';
import { freePort } from './free-port.ts';
import { apiServerArguments, etcdArguments, optionalPartArguments } from './parts.ts';
import type { OptionalPartName, PartName } from './parts.ts';
import type { Programs } from './programs.ts';
import { isApiReady, isEtcdReady, isHealthy } from './readiness.ts';
import { adminClient, auditLogOf, certificatesOf, openSharedControlPlane } from './shared.ts';
import type { SharedControlPlane } from './shared.ts';
import { startSupervised } from '../../../build/supervised-process.ts';
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
  /** A paused part keeps its connections and does not respond. */
  pause(part: PartName): void;
  resume(part: PartName): void;
  pid(part: PartName): number;
  /** Nothing is left. Once is enough, more does no harm. */
  stop(): Promise<void>;
  /** The same, except for the logs. */
  stopAndKeepLogs(): Promise<void>;
}

/** Settles when all requested parts are ready. If that fails, the error has the reason and the path of the logs. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const programs = { ...(await requirePrograms()), ...options.programs };
  const directory = await makeWorkDirectory('control-plane');
  const processes = createProcesses<PartName>({
    directory: directory.path,
    logs: directory.logs,
    launch: startSupervised,
  });
  const context = { options, programs, directory, processes };
  try {
    // The API server has enough to do before it needs etcd.
    const [plane] = await allOrNone(processes, [startParts(context), startEtcd(context)]);
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

interface ControlPlaneContext {
  readonly options: ControlPlaneOptions;
  readonly programs: Programs;
  readonly directory: WorkDirectory;
  readonly processes: Processes<PartName>;
}

async function startParts(context: ControlPlaneContext): Promise<ControlPlane> {
  const { options, programs, directory, processes } = context;
  const certificates = await makeCertificates(certificatesOf(directory.path));
  const port = options.port ?? (await freePort());
  const url = `https://127.0.0.1:${String(port)}`;
  const ask = adminClient(url, certificates);
  const auditLogFile = auditLogOf(directory.logs);
  const auditPolicyFile = await writeAuditPolicy(join(directory.path, 'audit-policy.yaml'));
  const apiServerOptions = { directory: directory.path, certificates, auditPolicyFile, auditLogFile, port };
  const startApiServer = (): Promise<void> =>
    startPart(context, 'kube-apiserver', apiServerArguments(apiServerOptions), () => isApiReady(ask));
  const shared = { url, certificates, directory: directory.path, logDirectory: directory.logs };
  const [clients] = await allOrNone(processes, [openSharedControlPlane(shared, programs.kubectl), startApiServer()]);
  const others = options.parts.map((name) => startOptionalPart(context, name, { certificates, clients }));
  await allOrNone(processes, others);
  return {
    ...clients,
    directory: directory.path,
    stopApiServer: () => processes.stop('kube-apiserver'),
    killApiServer: () => processes.kill('kube-apiserver'),
    startApiServer,
    ...lifecycleOf(context),
  };
}

/** It needs no certificates: no other user can reach its sockets. */
function startEtcd(context: ControlPlaneContext): Promise<void> {
  const path = context.directory.path;
  return startPart(context, 'etcd', etcdArguments(path), () => isEtcdReady(path));
}

/** When one fails the rest is given up, and nothing is under way any more. */
async function allOrNone<T extends readonly unknown[]>(processes: Processes<PartName>, promises: T): Promise<AllOf<T>> {
  try {
    return await Promise.all(promises);
  } catch (error) {
    await processes.killAll();
    await Promise.allSettled(promises);
    throw error;
  }
}

type AllOf<T extends readonly unknown[]> = { -readonly [Position in keyof T]: Awaited<T[Position]> };

function startPart(
  { options, programs, processes }: ControlPlaneContext,
  name: PartName,
  args: readonly string[],
  isReady: () => Promise<boolean>,
): Promise<void> {
  const extra = options.extraArguments?.[name] ?? [];
  return processes.start(name, { file: programs[name], args: [...args, ...extra] }, isReady);
}

interface OptionalPartDeps {
  readonly certificates: Certificates;
  readonly clients: Clients;
}

async function startOptionalPart(
  context: ControlPlaneContext,
  name: OptionalPartName,
  deps: OptionalPartDeps,
): Promise<void> {
  const { certificates, clients } = deps;
  const port = await freePort();
  const kubeconfig = await clients.kubeconfigFor(`system:${name}`, []);
  const url = `https://127.0.0.1:${String(port)}`;
  const ask = adminClient(url, certificates);
  const args = optionalPartArguments(name, { certificates, port, kubeconfig });
  await startPart(context, name, args, () => isHealthy(ask));
}

function lifecycleOf({ processes, directory }: ControlPlaneContext): Pick<ControlPlane, LifecycleMember> {
  return {
    pause: (part) => processes.signal(part, 'SIGSTOP'),
    resume: (part) => processes.signal(part, 'SIGCONT'),
    pid: (part) => processes.pid(part),
    stop: async () => {
      await processes.killAll();
      await directory.remove();
    },
    stopAndKeepLogs: async () => {
      await processes.killAll();
      await directory.keepLogs();
    },
  };
}

type LifecycleMember = 'pause' | 'resume' | 'pid' | 'stop' | 'stopAndKeepLogs';
