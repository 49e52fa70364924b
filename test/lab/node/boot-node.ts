import type { EmbeddedName } from '../clouds/embedded.ts';
import { findPrograms } from '../control-plane/find-programs.ts';
import { makeWorkDirectory } from '../control-plane/work-directory.ts';
import { createEnvironment, prepareCluster, startCluster } from './environment.ts';
import type { ApiServerEndpoint, NodeEnvironment, NodeContext } from './environment.ts';
import type { LabNode } from './lab-node.ts';
import { startKubelet, startRuntime } from './machine-parts.ts';
import type { Runtime } from './machine-parts.ts';
import { imagesOf, accessOf, partsOf, podsOf } from './node-handle.ts';
import type { NodeOptions } from './node-options.ts';
import { startServices } from './services.ts';
import type { Services } from './services.ts';
import { createCleanup } from './cleanup.ts';

/** Settles when the Node is registered. If that fails, the error has the reason and the path of the logs. */
export async function bootNode<Name extends EmbeddedName>(options: NodeOptions<Name>): Promise<LabNode<Name>> {
  const startedAtMs = performance.now();
  const found = await findPrograms();
  if (!found.available) throw new Error(found.reason);
  const directory = await makeWorkDirectory('node');
  const context: NodeContext<Name> = { options, directory, cleanup: createCleanup() };
  context.cleanup.add((logs) => (logs === 'keep' ? directory.keepLogs() : directory.remove()));
  try {
    const endpoint = await prepareCluster(context);
    const [plane, stack] = await bothOrNone(startCluster(context, endpoint), startStack(context, endpoint));
    const kubelet = await startKubelet(context, stack.runtime.processes, { plane, file: found.programs.kubelet });
    const parts = { ...context, ...stack, plane, kubelet };
    return {
      ...partsOf(parts),
      ...imagesOf(parts),
      ...podsOf(parts),
      ...accessOf(parts),
      name: options.machine.hostname,
      plane,
      clouds: stack.environment.network.clouds,
      namespace: stack.environment.network.namespace,
      bootMs: performance.now() - startedAtMs,
      logDirectory: directory.logs,
      stop: () => context.cleanup.run('remove'),
      stopAndKeepLogs: () => context.cleanup.run('keep'),
    };
  } catch (error) {
    await context.cleanup.run('keep');
    throw new Error(`${(error as Error).message}\nThe logs are in ${directory.logs}`, { cause: error });
  }
}

export interface NodeStack<Name extends EmbeddedName> {
  readonly environment: NodeEnvironment<Name>;
  readonly services: Services;
  readonly runtime: Runtime;
}

async function startStack<Name extends EmbeddedName>(
  context: NodeContext<Name>,
  { proxy }: ApiServerEndpoint,
): Promise<NodeStack<Name>> {
  const environment = await createEnvironment(context);
  const [services, runtime] = await bothOrNone(
    startServices(context, environment, proxy),
    startRuntime(context, environment),
  );
  return { environment, services, runtime };
}

/** Fails only when nothing is under way any more. */
async function bothOrNone<One, Other>(one: Promise<One>, other: Promise<Other>): Promise<[One, Other]> {
  await Promise.allSettled([one, other]);
  return Promise.all([one, other]);
}
