import type { NodeEventReason } from '../../schemas/events.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import { describeChanges } from './describe-changes.ts';
import type { Instance } from '../../clouds/cloud.ts';
import type { NodeWriter, PatchResult } from './node-writer.ts';
import { isSameNode } from './same-node.ts';
import { addressesPatch, planNode, restPatch } from './plan.ts';
import type { NodeAnnotations, NodePatch } from './plan.ts';

export type ReconcileResult =
  /** `writes` is 0 if nothing differed. `changes`: what was written, in words. */
  | { readonly kind: 'synced'; readonly node: Node; readonly writes: number; readonly changes: readonly string[] }
  /** A dry run: `changes` would have been written. */
  | { readonly kind: 'planned'; readonly changes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: NodeEventReason; readonly message: string }
  /** The Node was deleted, or another one has its name. */
  | { readonly kind: 'replaced' };

/** Enough for conflicts with other writers. */
const attemptsMax = 5;

/** Brings a Node in sync with its instance: addresses first, then everything else. The last write removes the taint. */
export async function reconcileNode(
  node: Node,
  instance: Instance,
  ownAnnotations: NodeAnnotations,
  writer: NodeWriter,
): Promise<ReconcileResult> {
  let current = node;
  let writes = 0;
  const changes: string[] = [];
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const planned = planNode(current, instance, ownAnnotations);
    if (planned.kind === 'refused') return planned;
    const written = await writePlan(current, planned.plan, writer);
    if (written.node === 'not-written') return { kind: 'planned', changes: written.changes };
    writes += written.writes;
    changes.push(...written.changes);
    if (written.node !== 'conflict') return { kind: 'synced', node: written.node, writes, changes };
    const live = await writer.read(node.metadata.name);
    if (live === undefined || !isSameNode(current, live)) return { kind: 'replaced' };
    current = live;
  }
  return {
    kind: 'refused',
    reason: 'NodeKeepsChanging',
    message: `something else changed the Node during each of ${attemptsMax} attempts to write it`,
  };
}

interface WriteResult {
  readonly node: PatchResult;
  readonly writes: number;
  readonly changes: readonly string[];
}

type Plan = Extract<ReturnType<typeof planNode>, { readonly kind: 'plan' }>['plan'];

async function writePlan(node: Node, { addresses, rest }: Plan, writer: NodeWriter): Promise<WriteResult> {
  const first = await write(node, addresses && addressesPatch(node, addresses), writer.patchStatus);
  if (first.node === 'conflict' || rest === undefined) return first;
  // In a dry run the first patch is not written, and the second one applies to the same version.
  const current = first.node === 'not-written' ? node : first.node;
  const second = await write(current, restPatch(current.metadata.resourceVersion, rest), writer.patch);
  return {
    node: second.node,
    writes: first.writes + second.writes,
    changes: [...first.changes, ...second.changes],
  };
}

async function write(
  node: Node,
  patch: NodePatch | undefined,
  send: (node: Node, patch: NodePatch) => Promise<PatchResult>,
): Promise<WriteResult> {
  if (patch === undefined) return { node, writes: 0, changes: [] };
  const written = await send(node, patch);
  return { node: written, writes: 1, changes: written === 'conflict' ? [] : describeChanges(node, patch) };
}
