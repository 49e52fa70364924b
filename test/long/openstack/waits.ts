import type { Node } from '../../../schemas/kubernetes.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import type { TestEnvironment } from '../../system/api-server/ccm/environment.ts';
import { readNode } from '../../system/api-server/ccm/nodes.ts';
import type { Machine } from './world.ts';

/** The services answer slowly on a machine that has more to do. */
const withinMs = 120_000;
const everyMs = 100;

export async function untilNode(
  environment: TestEnvironment,
  name: string,
  what: string,
  holds: (node: Node) => boolean,
): Promise<Node> {
  return waitUntil({ what: `${name} ${what}`, withinMs, everyMs }, async () => {
    const node = await readNode(environment, name);
    return node !== undefined && holds(node) ? node : undefined;
  });
}

export function providerIdOf({ id }: Machine): string {
  return `openstack:///${id}`;
}
