import { kubeconfigAccess } from '../../../../lib/kubernetes/access/kubeconfig-access.ts';
import { createClient } from '../../../../lib/kubernetes/client.ts';
import { defaultLimits } from '../../../../lib/kubernetes/open-client.ts';
import { nodes } from '../../../../lib/kubernetes/resources.ts';
import { systemClock } from '../../../../lib/clock.ts';
import type { Node } from '../../../../schemas/kubernetes.ts';
import type { MachineEnvironment } from './machine-environment.ts';

/** Every state of a Node from now on, from a watch. */
export async function watchNode(
  environment: Pick<MachineEnvironment, 'plane' | 'atEnd'>,
  { metadata: { name, resourceVersion } }: Node,
): Promise<readonly Node[]> {
  const access = kubeconfigAccess(environment.plane.adminKubeconfig, { env: process.env, clock: systemClock });
  const client = createClient({
    access,
    userAgent: 'watcher',
    limits: defaultLimits,
    clock: systemClock,
    random: Math.random,
  });
  const stop = new AbortController();
  const states: Node[] = [];
  const from = { resourceVersion, fieldSelector: `metadata.name=${name}`, timeoutSeconds: 600 };
  const events = await client.watch(nodes, from, stop.signal);
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
