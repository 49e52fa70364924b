import type { Node } from '../../schemas/kubernetes.ts';
import type { NodePatch } from './plan.ts';

/** The writes that make a Node true. Both give the Node as it is afterwards; `conflict`: it is not the one that the patch was made for. */
export interface NodeWriter {
  /** Live, not from any cache. */
  read(name: string): Promise<Node | undefined>;
  patch(name: string, patch: NodePatch): Promise<Node | 'conflict'>;
  patchStatus(name: string, patch: NodePatch): Promise<Node | 'conflict'>;
}
