import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import type { Pod } from '../../../../lib/kubernetes/objects.ts';
import { nodes, pods } from '../../../../lib/kubernetes/resources.ts';
import type { Resource } from '../../../../lib/kubernetes/resources.ts';
import { systemClock } from '../../../../lib/clock.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { MachineEnvironment } from './machine-environment.ts';

type Watching = Pick<MachineEnvironment, 'plane' | 'atEnd'>;

/** Every state of a Node from now on, from a watch. */
export function watchNode(
  environment: Watching,
  { metadata: { name, resourceVersion } }: Node,
): Promise<readonly Node[]> {
  return watchObjects(environment, nodes, { resourceVersion, fieldSelector: `metadata.name=${name}` });
}

/** Every state of every pod from now on. */
export async function watchPods(environment: Watching): Promise<readonly Pod[]> {
  const { body } = await environment.plane.ask('GET', '/api/v1/pods?limit=1');
  const { resourceVersion } = (body as { readonly metadata: { readonly resourceVersion: string } }).metadata;
  return watchObjects(environment, pods, { resourceVersion });
}

async function watchObjects<T>(
  environment: Watching,
  resource: Resource<T>,
  from: { readonly resourceVersion: string; readonly fieldSelector?: string },
): Promise<readonly T[]> {
  const access = kubeconfigAccess(environment.plane.adminKubeconfig, { env: process.env, clock: systemClock });
  const client = createClient({
    access,
    userAgent: 'watcher',
    limits: defaultLimits,
    clock: systemClock,
    random: Math.random,
  });
  const stop = new AbortController();
  const states: T[] = [];
  const events = await client.watch(resource, { ...from, timeoutSeconds: 600 }, stop.signal);
  const watching = (async () => {
    for await (const event of events) if (event.type !== 'BOOKMARK') states.push(event.object);
  })().catch(() => undefined);
  environment.atEnd(async () => {
    stop.abort();
    client.close();
    await watching;
  });
  return states;
}
