import type { EmbeddedName } from '../clouds/embedded.ts';
import { findPrograms } from '../control-plane/find-programs.ts';
import { makeWorkDirectory } from '../control-plane/work-directory.ts';
import { layOut, prepareCluster, startCluster } from './ground.ts';
import type { Approach, Land, Plot } from './ground.ts';
import type { LabNode } from './lab-node.ts';
import { startKubelet, startRuntime } from './machine-parts.ts';
import type { Runtime } from './machine-parts.ts';
import { imagesOf, insideOf, partsOf, podsOf } from './node-handle.ts';
import type { NodeOptions } from './node-options.ts';
import { startServices } from './services.ts';
import type { Services } from './services.ts';
import { createUndo } from './undo.ts';

/** Settles when the Node is registered. If that fails, the error says why and where the logs are. */
export async function bootNode<Name extends EmbeddedName>(options: NodeOptions<Name>): Promise<LabNode<Name>> {
  const startedAtMs = performance.now();
  const found = await findPrograms();
  if (!found.available) throw new Error(found.reason);
  const directory = await makeWorkDirectory('node');
  const plot: Plot<Name> = { options, directory, undo: createUndo() };
  plot.undo.add((logs) => (logs === 'keep' ? directory.keepLogs() : directory.remove()));
  try {
    const approach = await prepareCluster(plot);
    const [plane, site] = await bothOrNone(startCluster(plot, approach), raise(plot, approach));
    const kubelet = await startKubelet(plot, site.runtime.crew, { plane, file: found.programs.kubelet });
    const parts = { ...plot, ...site, plane, kubelet };
    return {
      ...partsOf(parts),
      ...imagesOf(parts),
      ...podsOf(parts),
      ...insideOf(parts),
      name: options.machine.hostname,
      plane,
      clouds: site.land.network.clouds,
      namespace: site.land.network.namespace,
      bootMs: performance.now() - startedAtMs,
      logDirectory: directory.logs,
      stop: () => plot.undo.run('remove'),
      stopAndKeepLogs: () => plot.undo.run('keep'),
    };
  } catch (error) {
    await plot.undo.run('keep');
    throw new Error(`${(error as Error).message}\nThe logs are in ${directory.logs}`, { cause: error });
  }
}

export interface Site<Name extends EmbeddedName> {
  readonly land: Land<Name>;
  readonly services: Services;
  readonly runtime: Runtime;
}

async function raise<Name extends EmbeddedName>(plot: Plot<Name>, { gate }: Approach): Promise<Site<Name>> {
  const land = await layOut(plot);
  const [services, runtime] = await bothOrNone(startServices(plot, land, gate), startRuntime(plot, land));
  return { land, services, runtime };
}

/** Fails only when nothing is under way any more. */
async function bothOrNone<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
