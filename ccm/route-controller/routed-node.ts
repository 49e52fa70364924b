import type { NodeUid, Routes, Scope } from '../../clouds/index.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { ownershipOf } from '../node-controller/ownership.ts';
import type { EnabledCloud } from '../node-controller/ownership.ts';
import { parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';

/** A cloud whose routes are kept. */
export interface RoutedCloud extends EnabledCloud {
  readonly routes: Routes;
}

/** A Node, and the routes to its pods. */
export interface RoutedNode {
  readonly uid: NodeUid;
  readonly node: Node;
  readonly podCidrs: readonly Cidr[];
  /** Does it belong to a cloud of this controller? If not, another one may keep its routes. */
  readonly isOurs: boolean;
  readonly routes: readonly NodeRoute[];
  /** Why it has none, or not all of them. */
  readonly reason?: string;
}

export interface NodeRoute {
  readonly cloud: RoutedCloud;
  readonly table: Scope;
  readonly podCidr: Cidr;
  readonly nextHop: string;
}

/** A route that a Node needs in a table. */
export interface WantedRoute {
  readonly uid: NodeUid;
  readonly node: string;
  /** Of the Node. */
  readonly createdAt: string;
  readonly podCidr: Cidr;
  readonly nextHop: string;
}

export function hasRoutes(cloud: EnabledCloud): cloud is RoutedCloud {
  return cloud.routes !== undefined;
}

/**
 * Pure. A Node that is not initialised gets no route: its kubelet chose its addresses and its providerID, and could lead
 * the packets for its pods to another machine.
 */
export function routedNodeOf(node: Node, clouds: readonly EnabledCloud[]): RoutedNode {
  const podCidrs = (node.spec.podCIDRs ?? []).flatMap((text) => parseCidr(text) ?? []);
  const facts = factsOf(node);
  const ownership = ownershipOf(facts, clouds);
  const routed = { uid: facts.uid, node, podCidrs, isOurs: ownership.kind === 'ours' };
  const without = (reason: string): RoutedNode => ({ ...routed, routes: [], reason });
  if (ownership.kind !== 'ours') return without(ownership.reason);
  if (podCidrs.length === 0) return without('it has no pod CIDR yet');
  if (isUninitialized(node)) return without('it is not initialised yet');
  const names = new Set(ownership.cloudScopes.map(({ cloud }) => cloud.name));
  const tables = clouds
    .filter(hasRoutes)
    .filter(({ name }) => names.has(name))
    .flatMap((cloud) => cloud.routes.tablesOf(facts).map((table) => ({ cloud, table })));
  if (tables.length === 0) return without('no route table is configured for it');
  const { addresses = [] } = node.status;
  const routes = tables.flatMap(({ cloud, table }) =>
    podCidrs.flatMap((podCidr) => {
      const nextHop = cloud.routes.nextHopOf(facts, podCidr.text, addresses);
      return nextHop === undefined ? [] : [{ cloud, table, podCidr, nextHop }];
    }),
  );
  const isComplete = routes.length === tables.length * podCidrs.length;
  return isComplete ? { ...routed, routes } : { ...routed, routes, reason: 'its next hop is not known yet' };
}
