import type { NodeEventReason } from '../../schemas/events.ts';
import { keys, wellKnown } from '../../schemas/keys.ts';
import type { Node, NodeAddress, Taint } from '../../schemas/kubernetes.ts';
import { planAddresses, sameAddresses } from './addresses.ts';
import { isUninitialized, providedNodeIps } from './read-node.ts';
import type { Instance } from '../../clouds/cloud.ts';
import { labelsFor, entriesToSet } from './labels.ts';
import type { NodeLabels } from './labels.ts';

/** When to read again what could not be read: early enough for it to be done within 10 s. */
export const rereadUnreadMs = 8_000;

/** The writes that bring a Node in sync with its instance: addresses first, everything else after. */
export interface NodePlan {
  readonly addresses?: readonly NodeAddress[];
  readonly rest?: RestPlan;
}

export interface RestPlan {
  readonly labels?: NodeLabels;
  readonly annotations?: NodeAnnotations;
  readonly providerId?: string;
  /** All taints that stay. */
  readonly taints?: readonly Taint[];
}

export type NodeAnnotations = Readonly<Record<string, string>>;

export type PlanResult =
  | { readonly kind: 'plan'; readonly plan: NodePlan }
  | { readonly kind: 'refused'; readonly reason: NodeEventReason; readonly message: string };

/** Pure, and the same for a new Node and one that drifted. An empty plan: nothing to write. */
export function planNode(node: Node, instance: Instance, ownAnnotations: NodeAnnotations): PlanResult {
  const current = node.status.addresses ?? [];
  const keepsExternal = instance.unread?.includes('external-addresses') ?? false;
  const addresses = planAddresses({
    instance: instance.addresses,
    node: current,
    providedNodeIps: providedNodeIps(node),
    keepsExternal,
  });
  if (addresses.kind === 'not-found') return refuse(addresses.nodeIp, instance.providerId, keepsExternal);
  const rest = planRest(node, instance, ownAnnotations);
  return {
    kind: 'plan',
    plan: {
      ...(!sameAddresses(current, addresses.addresses) && { addresses: addresses.addresses }),
      ...(rest !== undefined && { rest }),
    },
  };
}

function refuse(nodeIp: string, providerId: string, isExternalUnread: boolean): PlanResult {
  const problem = `the kubelet's --node-ip ${nodeIp} is not an address of ${providerId}`;
  const message = isExternalUnread
    ? `${problem} as far as is known: its external addresses could not be read; hint: they are read again soon`
    : `${problem}; hint: correct the flag, or give the instance that address`;
  return { kind: 'refused', reason: 'ProvidedNodeIPNotFound', message };
}

function planRest(node: Node, instance: Instance, ownAnnotations: NodeAnnotations): RestPlan | undefined {
  const labels = entriesToSet(labelsFor(instance), node.metadata.labels ?? {});
  const annotations = entriesToSet({ ...ownAnnotations, ...instanceIdOf(instance) }, node.metadata.annotations ?? {});
  const providerId = node.spec.providerID ? undefined : instance.providerId;
  const taints = isUninitialized(node) ? withoutUninitialized(node) : undefined;
  const rest = {
    ...(labels !== undefined && { labels }),
    ...(annotations !== undefined && { annotations }),
    ...(providerId !== undefined && { providerId }),
    ...(taints !== undefined && { taints }),
  };
  return Object.keys(rest).length === 0 ? undefined : rest;
}

function instanceIdOf({ instanceId }: Instance): NodeAnnotations {
  return instanceId === undefined ? {} : { [keys.instanceId]: instanceId };
}

function withoutUninitialized(node: Node): readonly Taint[] {
  return (node.spec.taints ?? []).filter(({ key }) => key !== wellKnown.uninitializedTaint);
}

/** A merge patch for one version of the Node. Its lists replace the lists of the Node. */
export interface NodePatch {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly labels?: NodeLabels;
    readonly annotations?: NodeAnnotations;
  };
  readonly spec?: { readonly providerID?: string; readonly taints?: readonly Taint[] };
  readonly status?: { readonly addresses: readonly NodeAddress[] };
}

/** A patch of the status. */
export function addressesPatch(node: Node, addresses: readonly NodeAddress[]): NodePatch {
  return { metadata: { resourceVersion: node.metadata.resourceVersion }, status: { addresses } };
}

/** A patch of everything else. */
export function restPatch(resourceVersion: string, { labels, annotations, providerId, taints }: RestPlan): NodePatch {
  const spec = { ...(providerId !== undefined && { providerID: providerId }), ...(taints !== undefined && { taints }) };
  return {
    metadata: {
      resourceVersion,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    ...(Object.keys(spec).length > 0 && { spec }),
  };
}
