import type { Node } from '../../schemas/kubernetes.ts';
import { describeChanges } from './describe-changes.ts';
import type { Instance } from './instance.ts';
import type { NodeWriter } from './node-writer.ts';
import { isStill } from './still.ts';
import { addressesPatch, planNode, restPatch } from './plan.ts';
import type { Annotations, NodePatch } from './plan.ts';

export type Made =
  /** `writes` is 0 where there was nothing to do. `changes`: what was written, in words. */
  | { readonly kind: 'true'; readonly node: Node; readonly writes: number; readonly changes: readonly string[] }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** The Node is gone, or another one has its name. */
  | { readonly kind: 'replaced' };

/** Whoever else writes at the same moment is done by then. */
const attempts = 5;

/** Makes a Node true to its instance: the addresses, then everything else, the taint with the last write. */
export async function makeTrue(node: Node, instance: Instance, marks: Annotations, writer: NodeWriter): Promise<Made> {
  let current = node;
  let writes = 0;
  const changes: string[] = [];
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const planned = planNode(current, instance, marks);
    if (planned.kind === 'refused') return planned;
    const written = await writePlan(current, planned.plan, writer);
    writes += written.writes;
    changes.push(...written.changes);
    if (written.node !== 'conflict') return { kind: 'true', node: written.node, writes, changes };
    const live = await writer.read(node.metadata.name);
    if (live === undefined || !isStill(current, live)) return { kind: 'replaced' };
    current = live;
  }
  return {
    kind: 'refused',
    reason: 'NodeKeepsChanging',
    message: `something else changed the Node during each of ${attempts} attempts to write it`,
  };
}

interface Written {
  readonly node: Node | 'conflict';
  readonly writes: number;
  readonly changes: readonly string[];
}

type Plan = Extract<ReturnType<typeof planNode>, { readonly kind: 'plan' }>['plan'];

async function writePlan(node: Node, { addresses, rest }: Plan, writer: NodeWriter): Promise<Written> {
  const { name } = node.metadata;
  const first = await write(node, addresses && addressesPatch(node, addresses), (patch) =>
    writer.patchStatus(name, patch),
  );
  if (first.node === 'conflict' || rest === undefined) return first;
  const patch = restPatch(first.node.metadata.resourceVersion, rest);
  const second = await write(first.node, patch, (body) => writer.patch(name, body));
  return {
    node: second.node,
    writes: first.writes + second.writes,
    changes: [...first.changes, ...second.changes],
  };
}

async function write(
  node: Node,
  patch: NodePatch | undefined,
  send: (patch: NodePatch) => Promise<Node | 'conflict'>,
): Promise<Written> {
  if (patch === undefined) return { node, writes: 0, changes: [] };
  const written = await send(patch);
  return { node: written, writes: 1, changes: written === 'conflict' ? [] : describeChanges(node, patch) };
}
