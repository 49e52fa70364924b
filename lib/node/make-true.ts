import type { Node } from '../../schemas/kubernetes.ts';
import type { Instance } from './instance.ts';
import type { NodeWriter } from './node-writer.ts';
import { isStill } from './still.ts';
import { addressesPatch, planNode, restPatch } from './plan.ts';
import type { Annotations } from './plan.ts';

export type Made =
  /** `writes` is 0 where there was nothing to do. */
  | { readonly kind: 'true'; readonly node: Node; readonly writes: number }
  | { readonly kind: 'refused'; readonly reason: string; readonly message: string }
  /** The Node is gone, or another one has its name. */
  | { readonly kind: 'replaced' };

/** Whoever else writes at the same moment is done by then. */
const attempts = 5;

/** Makes a Node true to its instance: the addresses, then everything else, the taint with the last write. */
export async function makeTrue(node: Node, instance: Instance, marks: Annotations, writer: NodeWriter): Promise<Made> {
  let current = node;
  let writes = 0;
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const planned = planNode(current, instance, marks);
    if (planned.kind === 'refused') return planned;
    const written = await writePlan(current, planned.plan, writer);
    writes += written.writes;
    if (written.node !== 'conflict') return { kind: 'true', node: written.node, writes };
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
}

type Plan = Extract<ReturnType<typeof planNode>, { readonly kind: 'plan' }>['plan'];

async function writePlan(node: Node, { addresses, rest }: Plan, writer: NodeWriter): Promise<Written> {
  const { name } = node.metadata;
  const addressed = addresses === undefined ? node : await writer.patchStatus(name, addressesPatch(node, addresses));
  const writes = addresses === undefined ? 0 : 1;
  if (addressed === 'conflict' || rest === undefined) return { node: addressed, writes };
  const done = await writer.patch(name, restPatch(addressed.metadata.resourceVersion, rest));
  return { node: done, writes: writes + 1 };
}
