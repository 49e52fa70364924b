import { LRUCache } from 'lru-cache';
import type { Node } from '../../schemas/kubernetes.ts';
import { describeChanges } from './describe-changes.ts';
import type { NodeWriter } from './node-writer.ts';
import type { NodePatch } from './plan.ts';

/** Called with each plan once, and again when it is another one. */
export type SayPlan = (node: Node, changes: readonly string[]) => void;

/** Reads as usual and writes nothing: it says what it would write. */
export function dryRunWriter({ read }: Pick<NodeWriter, 'read'>, say: SayPlan): NodeWriter {
  const sayOnce = once(say);
  const plan = async (name: string, part: string, patch: NodePatch): Promise<Node | 'conflict'> => {
    const node = await read(name);
    if (node === undefined) return 'conflict';
    sayOnce(node, part, describeChanges(node, patch));
    return node;
  };
  return {
    read,
    patch: (name, patch) => plan(name, 'node', patch),
    patchStatus: (name, patch) => plan(name, 'status', patch),
  };
}

/** More Nodes than a cluster has; the plans of those that are no longer there are dropped by and by. */
const mostPlans = 50_000;

/** `part`: what of the Node it is about; its parts are planned one by one. */
function once(say: SayPlan): (node: Node, part: string, changes: readonly string[]) => void {
  const said = new LRUCache<string, string>({ max: mostPlans });
  return (node, part, changes) => {
    const key = `${node.metadata.uid} ${part}`;
    const text = changes.join('\n');
    if (changes.length === 0 || said.get(key) === text) return;
    said.set(key, text);
    say(node, changes);
  };
}
