import { isSameNode } from '../../lib/node/same-node.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { InterruptionDecision } from './decide.ts';
import type { MarksWriter } from './marks-writer.ts';
import { planMarks } from './plan-marks.ts';
import type { InterruptionState } from './state.ts';

export type MarkResult =
  /** `changes`: what was written, in words; empty if nothing differed. */
  | { readonly kind: 'marked'; readonly node: Node; readonly changes: readonly string[] }
  /** A dry run: `changes` would have been written. */
  | { readonly kind: 'planned'; readonly changes: readonly string[] }
  /** The Node was deleted, or another one has its name. The watch will deliver it. */
  | { readonly kind: 'replaced' }
  /** Others write the Node all the time. */
  | { readonly kind: 'conflict' };

const attemptsMax = 5;

/** Gives the Node its taint, cordon and state. After a conflict it plans again for the newest version. */
export async function markNode(
  node: Node,
  decision: InterruptionDecision,
  kept: Pick<InterruptionState, 'notices' | 'drain'>,
  writer: Pick<MarksWriter, 'read' | 'patch'>,
): Promise<MarkResult> {
  let current = node;
  for (let attempt = 1; attempt <= attemptsMax; attempt++) {
    const plan = planMarks(current, decision, kept);
    if (plan === undefined) return { kind: 'marked', node: current, changes: [] };
    const { patch, changes } = plan;
    const written = await writer.patch(current, patch);
    if (written === 'not-written') return { kind: 'planned', changes };
    if (written !== 'conflict') return { kind: 'marked', node: written, changes };
    const live = await writer.read(node.metadata.name);
    if (live === undefined || !isSameNode(current, live)) return { kind: 'replaced' };
    current = live;
  }
  return { kind: 'conflict' };
}
