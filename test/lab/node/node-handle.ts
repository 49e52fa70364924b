import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from '../../../schemas/kubernetes.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { Processes } from '../control-plane/processes.ts';
import { httpGetInside, openTunnel, inboundSocketOf } from './gateway.ts';
import type { NodeEnvironment, NodeContext } from './environment.ts';
import { importArchive, importImage } from './image/import.ts';
import { push } from './image/push.ts';
import { initialiseNode } from './initialise.ts';
import { pluginLines } from './kubelet-log.ts';
import type { NodeImages, NodeAccess, NodePart, NodeParts, NodePods } from './lab-node.ts';
import type { Kubelet, Runtime } from './machine-parts.ts';
import { deletePod, runPod } from './pods.ts';
import { registrySocketOf } from './registry/registry.ts';
import type { Services } from './services.ts';

/** Everything that one node consists of. */
export interface BootedNode<Name extends EmbeddedName> extends NodeContext<Name> {
  readonly plane: ControlPlane;
  readonly environment: NodeEnvironment<Name>;
  readonly services: Services;
  readonly runtime: Runtime;
  readonly kubelet: Kubelet;
}

export function partsOf<Name extends EmbeddedName>(node: BootedNode<Name>): NodeParts<Name> {
  const { services, runtime, kubelet, options, environment } = node;
  const starts: Readonly<Record<NodePart, () => Promise<void>>> = {
    containerd: runtime.start,
    kubelet: kubelet.start,
    registry: services.startRegistryProxy,
  };
  const processesOf = (part: NodePart): Processes<string> =>
    part === 'registry' ? services.processes : runtime.processes;
  return {
    stopPart: (part) => processesOf(part).stop(part),
    killPart: (part) => processesOf(part).kill(part),
    startPart: (part) => starts[part](),
    pid: (part) => processesOf(part).pid(part),
    stopCloud: async (cloud) => {
      const silent = options.sites.flatMap((site) => (site.cloud === cloud ? site.services : []));
      const lab = environment.network.clouds[cloud];
      await Promise.all(silent.map(({ service }) => lab.addFault({ service, kind: 'refuse' })));
    },
    startCloud: (cloud) => environment.network.clouds[cloud].clearFaults(),
  };
}

export function imagesOf<Name extends EmbeddedName>({ environment, directory }: BootedNode<Name>): NodeImages {
  const socketPath = registrySocketOf(directory.path);
  return {
    push: (image, reference) => push(image, { socketPath, ...splitReference(reference) }),
    importImage: (image, reference) => importImage(environment.namespaces, directory.path, { image, reference }),
    importArchive: (file) => importArchive(environment.namespaces, file),
  };
}

function splitReference(reference: string): { readonly repository: string; readonly tag: string } {
  const { repository, tag } = /^(?<repository>.+):(?<tag>[^:/]+)$/.exec(reference)?.groups ?? {};
  if (repository === undefined || tag === undefined) throw new Error(`${reference} is no HOST/REPOSITORY:TAG`);
  return { repository, tag };
}

export function podsOf<Name extends EmbeddedName>({ plane, options, directory }: BootedNode<Name>): NodePods {
  const { hostname, addresses } = options.machine;
  return {
    getNode: async () => (await plane.ask('GET', `/api/v1/nodes/${hostname}`)).body as Node,
    initialise: (providerId) => initialiseNode(plane.ask, { hostname, addresses, providerId }),
    runPod: (wish) => runPod(plane.ask, wish),
    deletePod: (name) => deletePod(plane.ask, name),
    pluginLines: (image) => pluginLines(join(directory.logs, 'kubelet.log'), image),
  };
}

export function accessOf<Name extends EmbeddedName>({ environment, runtime, directory }: BootedNode<Name>): NodeAccess {
  const inboundSocket = inboundSocketOf(directory.path);
  return {
    run: environment.namespaces.run,
    startProgram: (name, program, isReady) => runtime.processes.start(name, program, isReady),
    stopProgram: (name) => runtime.processes.stop(name),
    killProgram: (name) => runtime.processes.kill(name),
    programPid: (name) => runtime.processes.pid(name),
    path: environment.namespaces.path,
    tunnel: (endpoint) => openTunnel(inboundSocket, endpoint),
    get: (url) => httpGetInside(inboundSocket, url),
    log: (name) => readFile(join(directory.logs, `${name}.log`), 'utf8'),
  };
}
