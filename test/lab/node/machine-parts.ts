import type { EmbeddedName } from '../clouds/embedded.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { createProcesses } from '../control-plane/processes.ts';
import type { Processes } from '../control-plane/processes.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { containerdProgram, containerdSocket, pauseImage } from './containerd.ts';
import { httpGetInside, inboundSocketOf } from './gateway.ts';
import type { NodeEnvironment, NodeContext } from './environment.ts';
import { sleepingImage } from './image/busybox-image.ts';
import { importImage } from './image/import.ts';
import { kubeletHealthUrl, kubeletProgram } from './kubelet.ts';
import { preparePlugins } from './plugins.ts';
import { isListening } from './listening.ts';

/** The runtime, ready for pods; what is started by tests runs in the same crew. */
export interface Runtime {
  readonly processes: Processes<string>;
  start(): Promise<void>;
}

export async function startRuntime<Name extends EmbeddedName>(
  { directory }: NodeContext<Name>,
  { namespaces }: NodeEnvironment<Name>,
): Promise<Runtime> {
  const processes = createProcesses<string>({
    directory: directory.path,
    logs: directory.logs,
    launch: namespaces.launch,
  });
  const program = await containerdProgram(directory.path);
  const isReady = (): Promise<boolean> => isListening(namespaces.path(containerdSocket));
  const start = (): Promise<void> => processes.start('containerd', program, isReady);
  await start();
  await importImage(namespaces, directory.path, { image: sleepingImage('pause'), reference: pauseImage });
  return { processes, start };
}

export interface Kubelet {
  start(): Promise<void>;
}

/** Starts it, and waits until its Node is there. */
export async function startKubelet<Name extends EmbeddedName>(
  { options, directory }: NodeContext<Name>,
  processes: Processes<string>,
  cluster: { readonly plane: ControlPlane; readonly file: string },
): Promise<Kubelet> {
  const { plane, file } = cluster;
  const { hostname, addresses } = options.machine;
  const [kubeconfig, serving, plugins] = await Promise.all([
    plane.kubeconfigFor(`system:node:${hostname}`, ['system:nodes']),
    plane.authority.issue('kubelet', [hostname, ...addresses]),
    preparePlugins(directory.path, options.plugin),
  ]);
  const program = await kubeletProgram({
    file,
    directory: directory.path,
    kubeconfig,
    clientAuthorityFile: plane.certificateAuthority.file,
    serving,
    plugins,
    extraArguments: options.kubeletArguments,
    environmentFile: options.kubeletEnvironmentFile,
  });
  const inboundSocket = inboundSocketOf(directory.path);
  const start = (): Promise<void> => processes.start('kubelet', program, () => isHealthy(inboundSocket));
  await start();
  await waitUntil({ what: `Node ${hostname} is there`, withinMs: 60_000, everyMs: 20 }, async () =>
    (await plane.ask('GET', `/api/v1/nodes/${hostname}`)).status === 200 ? true : undefined,
  );
  return { start };
}

async function isHealthy(inboundSocket: string): Promise<boolean> {
  try {
    return (await httpGetInside(inboundSocket, kubeletHealthUrl)).status === 200;
  } catch {
    return false;
  }
}
