import type { Node } from '../../schemas/kubernetes.ts';
import type { NodePatch } from './plan.ts';

/** The requests that bring a Node in sync. */
export interface NodeWriter {
  /** From the API server, not from a cache. */
  read(name: string): Promise<Node | undefined>;
  patch(node: Node, patch: NodePatch): Promise<PatchResult>;
  patchStatus(node: Node, patch: NodePatch): Promise<PatchResult>;
}

/**
 * The Node after the write. `conflict`: it is no longer the version that the patch was made for. `not-written`: this is
 * a dry run.
 */
export type PatchResult = Node | 'conflict' | 'not-written';
