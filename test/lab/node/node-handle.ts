import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Node } from '../../../schemas/kubernetes.ts';
import type { EmbeddedName } from '../clouds/embedded.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import type { Crew } from '../control-plane/crew.ts';
import { getInside, openTunnel, wayInSocketOf } from './gateway.ts';
import type { Land, Plot } from './ground.ts';
import { importArchive, importImage } from './image/import.ts';
import { push } from './image/push.ts';
import { initialiseNode } from './initialise.ts';
import { pluginLines } from './kubelet-log.ts';
import type { Images, Inside, NodePart, Parts, Pods } from './lab-node.ts';
import type { Kubelet, Runtime } from './machine-parts.ts';
import { deletePod, runPod } from './pods.ts';
import { registrySocketOf } from './registry/registry.ts';
import type { Services } from './services.ts';

/** Everything that one node consists of. */
export interface Whole<Name extends EmbeddedName> extends Plot<Name> {
  readonly plane: ControlPlane;
  readonly land: Land<Name>;
  readonly services: Services;
  readonly runtime: Runtime;
  readonly kubelet: Kubelet;
}

export function partsOf<Name extends EmbeddedName>(whole: Whole<Name>): Parts<Name> {
  const { services, runtime, kubelet, options, land } = whole;
  const starts: Readonly<Record<NodePart, () => Promise<void>>> = {
    containerd: runtime.start,
    kubelet: kubelet.start,
    registry: services.startFront,
  };
  const crewOf = (part: NodePart): Crew<string> => (part === 'registry' ? services.crew : runtime.crew);
  return {
    stopPart: (part) => crewOf(part).stop(part),
    killPart: (part) => crewOf(part).kill(part),
    startPart: (part) => starts[part](),
    pid: (part) => crewOf(part).pid(part),
    stopCloud: async (cloud) => {
      const silent = options.sites.flatMap((site) => (site.cloud === cloud ? site.services : []));
      const lab = land.network.clouds[cloud];
      await Promise.all(silent.map(({ service }) => lab.addFault({ service, kind: 'refuse' })));
    },
    startCloud: (cloud) => land.network.clouds[cloud].clearFaults(),
  };
}

export function imagesOf<Name extends EmbeddedName>({ land, directory }: Whole<Name>): Images {
  const socketPath = registrySocketOf(directory.path);
  return {
    push: (image, reference) => push(image, { socketPath, ...splitReference(reference) }),
    importImage: (image, reference) => importImage(land.shell, directory.path, { image, reference }),
    importArchive: (file) => importArchive(land.shell, file),
  };
}

function splitReference(reference: string): { readonly repository: string; readonly tag: string } {
  const { repository, tag } = /^(?<repository>.+):(?<tag>[^:/]+)$/.exec(reference)?.groups ?? {};
  if (repository === undefined || tag === undefined) throw new Error(`${reference} is no HOST/REPOSITORY:TAG`);
  return { repository, tag };
}

export function podsOf<Name extends EmbeddedName>({ plane, options, directory }: Whole<Name>): Pods {
  const { hostname, addresses } = options.machine;
  return {
    getNode: async () => (await plane.ask('GET', `/api/v1/nodes/${hostname}`)).body as Node,
    initialise: (providerId) => initialiseNode(plane.ask, { hostname, addresses, providerId }),
    runPod: (wish) => runPod(plane.ask, wish),
    deletePod: (name) => deletePod(plane.ask, name),
    pluginLines: (image) => pluginLines(join(directory.logs, 'kubelet.log'), image),
  };
}

export function insideOf<Name extends EmbeddedName>({ land, runtime, directory }: Whole<Name>): Inside {
  const wayIn = wayInSocketOf(directory.path);
  return {
    run: land.shell.run,
    startProgram: (name, program, isReady) => runtime.crew.start(name, program, isReady),
    stopProgram: (name) => runtime.crew.stop(name),
    killProgram: (name) => runtime.crew.kill(name),
    programPid: (name) => runtime.crew.pid(name),
    path: land.shell.path,
    tunnel: (endpoint) => openTunnel(wayIn, endpoint),
    get: (url) => getInside(wayIn, url),
    log: (name) => readFile(join(directory.logs, `${name}.log`), 'utf8'),
  };
}
