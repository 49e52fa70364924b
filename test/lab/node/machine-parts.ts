import type { EmbeddedName } from '../clouds/embedded.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { createCrew } from '../control-plane/crew.ts';
import type { Crew } from '../control-plane/crew.ts';
import { waitUntil } from '../control-plane/wait-until.ts';
import { containerdProgram, containerdSocket, pauseImage } from './containerd.ts';
import { getInside, wayInSocketOf } from './gateway.ts';
import type { Land, Plot } from './ground.ts';
import { sleepingImage } from './image/busybox-image.ts';
import { importImage } from './image/import.ts';
import { kubeletHealthUrl, kubeletProgram } from './kubelet.ts';
import { providePlugins } from './plugins.ts';
import { isListening } from './listening.ts';

/** The runtime, ready for pods; what is started by tests runs in the same crew. */
export interface Runtime {
  readonly crew: Crew<string>;
  start(): Promise<void>;
}

export async function startRuntime<Name extends EmbeddedName>(
  { directory }: Plot<Name>,
  { shell }: Land<Name>,
): Promise<Runtime> {
  const crew = createCrew<string>({ directory: directory.path, logs: directory.logs, launch: shell.launch });
  const program = await containerdProgram(directory.path);
  const isReady = (): Promise<boolean> => isListening(shell.path(containerdSocket));
  const start = (): Promise<void> => crew.start('containerd', program, isReady);
  await start();
  await importImage(shell, directory.path, { image: sleepingImage('pause'), reference: pauseImage });
  return { crew, start };
}

export interface Kubelet {
  start(): Promise<void>;
}

/** Starts it, and waits until its Node is there. */
export async function startKubelet<Name extends EmbeddedName>(
  { options, directory }: Plot<Name>,
  crew: Crew<string>,
  setting: { readonly plane: ControlPlane; readonly file: string },
): Promise<Kubelet> {
  const { plane, file } = setting;
  const { hostname, addresses } = options.machine;
  const [kubeconfig, serving, plugins] = await Promise.all([
    plane.kubeconfigFor(`system:node:${hostname}`, ['system:nodes']),
    plane.authority.issue('kubelet', [hostname, ...addresses]),
    providePlugins(directory.path, options.plugin),
  ]);
  const program = await kubeletProgram({
    file,
    directory: directory.path,
    kubeconfig,
    clientAuthorityFile: plane.certificateAuthority.file,
    serving,
    plugins,
    extraArguments: options.kubeletArguments,
  });
  const wayIn = wayInSocketOf(directory.path);
  const start = (): Promise<void> => crew.start('kubelet', program, () => isHealthy(wayIn));
  await start();
  await waitUntil({ what: `Node ${hostname} is there`, withinMs: 60_000, everyMs: 20 }, async () =>
    (await plane.ask('GET', `/api/v1/nodes/${hostname}`)).status === 200 ? true : undefined,
  );
  return { start };
}

async function isHealthy(wayIn: string): Promise<boolean> {
  try {
    return (await getInside(wayIn, kubeletHealthUrl)).status === 200;
  } catch {
    return false;
  }
}
