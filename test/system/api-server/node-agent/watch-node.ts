import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { connect } from '../../../../lib/kubernetes/client.ts';
import { usualLimits } from '../../../../lib/kubernetes/open-client.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import { systemClock } from '../../../../lib/clock.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { World } from './world.ts';

/** Every state of a Node from now on, as the API server tells it. */
export async function watchNode(
  world: Pick<World, 'plane' | 'atEnd'>,
  { metadata: { name, resourceVersion } }: Node,
): Promise<readonly Node[]> {
  const access = kubeconfigAccess(world.plane.adminKubeconfig, { env: process.env, clock: systemClock });
  const client = connect({
    access,
    userAgent: 'watcher',
    limits: usualLimits,
    clock: systemClock,
    random: Math.random,
  });
  const over = new AbortController();
  const seen: Node[] = [];
  const from = { resourceVersion, fieldSelector: `metadata.name=${name}`, endsAfterSeconds: 600 };
  const events = await client.watch(nodes, from, over.signal);
  const watching = (async () => {
    for await (const event of events) if (event.type !== 'BOOKMARK') seen.push(event.object);
  })().catch(() => undefined);
  world.atEnd(async () => {
    over.abort();
    client.close();
    await watching;
  });
  return seen;
}
