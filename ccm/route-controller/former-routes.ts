import type { NodeUid } from '../../clouds/index.ts';
import { parseCidr } from './cidr.ts';
import type { NodeRoute, RoutedNode } from './routed-node.ts';

/**
 * The routes that Nodes had, in the memory of this process: of those that were deleted, and of those that have another
 * next hop now. It proves that an unmarked route was a Node's. After a restart it is empty, and nothing is removed on a
 * guess; a replica that does not lead remembers too.
 */
export interface FormerRoutes {
  nodeChanged(node: RoutedNode): void;
  nodeRemoved(uid: NodeUid): void;
  has(tableKey: string, podCidr: string, nextHop?: string): boolean;
  /** Forgets what a complete list of the table does not have. */
  keepOnly(tableKey: string, present: readonly { readonly podCidr: string }[]): void;
}

export function createFormerRoutes(): FormerRoutes {
  const current = new Map<NodeUid, readonly NodeRoute[]>();
  /** By table and pod CIDR, the next hops. */
  const former = new Map<string, Map<string, Set<string>>>();

  function add({ table, podCidr, nextHop }: NodeRoute): void {
    const ofTable = former.get(table.key) ?? new Map<string, Set<string>>();
    former.set(table.key, ofTable.set(podCidr.text, new Set(ofTable.get(podCidr.text)).add(nextHop)));
  }

  return {
    nodeChanged: ({ uid, isOurs, routes, reason }) => {
      // Another controller keeps its routes now.
      if (!isOurs) current.delete(uid);
      if (reason !== undefined) return;
      const before = current.get(uid) ?? [];
      for (const each of before) if (!routes.some((route) => isSame(route, each))) add(each);
      current.set(uid, routes);
    },
    nodeRemoved: (uid) => {
      for (const each of current.get(uid) ?? []) add(each);
      current.delete(uid);
    },
    has: (tableKey, podCidr, nextHop) => {
      const hops = former.get(tableKey)?.get(podCidr);
      return hops !== undefined && (nextHop === undefined || hops.has(nextHop));
    },
    keepOnly: (tableKey, present) => {
      const listed = new Set(present.map(({ podCidr }) => parseCidr(podCidr)?.text));
      const ofTable = former.get(tableKey) ?? new Map<string, Set<string>>();
      for (const podCidr of ofTable.keys()) if (!listed.has(podCidr)) ofTable.delete(podCidr);
    },
  };
}

function isSame(one: NodeRoute, other: NodeRoute): boolean {
  return one.table.key === other.table.key && one.podCidr.text === other.podCidr.text && one.nextHop === other.nextHop;
}
