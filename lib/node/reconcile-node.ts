import type { Node } from '../../schemas/kubernetes.ts';
import { describeChanges } from './describe-changes.ts';
import type { Instance } from './instance.ts';
import type { NodeWriter, PatchResult } from './node-writer.ts';
import { isSameNode } from './same-node.ts';
import { addressesPatch, planNode, restPatch } from './plan.ts';
import type { NodeAnnotations, NodePatch } from './plan.ts';

export type ReconcileResult =
  /** `writes` is 0 where there was nothing to do. `changes`: what was written, in words. */
  | { readonly kind: 'true'; readonly node: Node; readonly writes: number; readonly changes: readonly string[] }
  /** A dry run: `changes` would have been written. */
  | { readonly kind: 'planned'; readonly changes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** The Node is gone, or another one has its name. */
  | { readonly kind: 'replaced' };

/** Whoever else writes at the same moment is done by then. */
const attemptsMax = 5;

/** Makes a Node true to its instance: the addresses, then everything else, the taint with the last write. */
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
    if (written.node !== 'conflict') return { kind: 'true', node: written.node, writes, changes };
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
  // After a first write that a dry run left out, the second one is for the Node as it is.
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
