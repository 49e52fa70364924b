import type { Node } from '../../schemas/kubernetes.ts';
import type { NodePatch } from './plan.ts';

/** The writes that make a Node true. */
export interface NodeWriter {
  /** Live, not from any cache. */
  read(name: string): Promise<Node | undefined>;
  patch(node: Node, patch: NodePatch): Promise<PatchResult>;
  patchStatus(node: Node, patch: NodePatch): Promise<PatchResult>;
}

/**
 * The Node as it is afterwards. `conflict`: it is not the one that the patch was made for. `not-written`: this is a dry
 * run.
 */
export type PatchResult = Node | 'conflict' | 'not-written';
