import { wellKnown } from '../../schemas/keys.ts';
import type { Node, NodeAddress, Taint } from '../../schemas/kubernetes.ts';
import { planAddresses, sameAddresses } from './addresses.ts';
import { isUninitialized, providedNodeIps } from './read-node.ts';
import type { Instance } from './instance.ts';
import { labelsFor, missingLabels } from './labels.ts';
import type { Labels } from './labels.ts';

/** What to write so that a Node is true to its instance: addresses first, everything else after. */
export interface NodePlan {
  readonly addresses?: readonly NodeAddress[];
  readonly rest?: RestOfNode;
}

export interface RestOfNode {
  readonly labels?: Labels;
  readonly providerId?: string;
  /** All taints that are to stay. */
  readonly taints?: readonly Taint[];
}

export type Planned =
  | { readonly kind: 'plan'; readonly plan: NodePlan }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string };

/** Pure, and the same for a new Node and one that drifted. An empty plan: nothing to write. */
export function planNode(node: Node, instance: Instance): Planned {
  const present = node.status.addresses ?? [];
  const addresses = planAddresses({
    instance: instance.addresses,
    node: present,
    providedNodeIps: providedNodeIps(node),
  });
  if (addresses.kind === 'not-found') return refuse(addresses.nodeIp, instance.providerId);
  const rest = planRest(node, instance);
  return {
    kind: 'plan',
    plan: {
      ...(!sameAddresses(present, addresses.addresses) && { addresses: addresses.addresses }),
      ...(rest !== undefined && { rest }),
    },
  };
}

function refuse(nodeIp: string, providerId: string): Planned {
  return {
    kind: 'refused',
    reason: 'ProvidedNodeIPNotFound',
    message: `the kubelet's --node-ip ${nodeIp} is none of the addresses of ${providerId}; correct the flag, or give the instance that address`,
  };
}

function planRest(node: Node, instance: Instance): RestOfNode | undefined {
  const labels = missingLabels(labelsFor(instance), node.metadata.labels ?? {});
  const providerId = node.spec.providerID ? undefined : instance.providerId;
  const taints = isUninitialized(node) ? withoutUninitialized(node) : undefined;
  if (labels === undefined && providerId === undefined && taints === undefined) return undefined;
  return {
    ...(labels !== undefined && { labels }),
    ...(providerId !== undefined && { providerId }),
    ...(taints !== undefined && { taints }),
  };
}

function withoutUninitialized(node: Node): readonly Taint[] {
  return (node.spec.taints ?? []).filter(({ key }) => key !== wellKnown.uninitializedTaint);
}

/** A merge patch of the status; it replaces the list as a whole. */
export function addressesPatch(node: Node, addresses: readonly NodeAddress[]): object {
  return { metadata: { resourceVersion: node.metadata.resourceVersion }, status: { addresses } };
}

/** A merge patch of everything else, only good for the version of the Node that it was planned for. */
export function restPatch(resourceVersion: string, { labels, providerId, taints }: RestOfNode): object {
  const spec = { ...(providerId !== undefined && { providerID: providerId }), ...(taints !== undefined && { taints }) };
  return {
    metadata: { resourceVersion, ...(labels !== undefined && { labels }) },
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}
