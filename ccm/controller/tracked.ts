import type { Instance, NodeFacts, NodeUid } from '../../clouds/index.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { NodeRecord } from '../lifecycle/record.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { isOlder } from '../../lib/node/still.ts';
import { ownershipOf } from '../node/ownership.ts';
import type { Claim, EnabledCloud, Ownership } from '../node/ownership.ts';

/** A Node and what this leader knows of it. All of it is forgotten when the lead changes. */
export interface Tracked {
  readonly uid: NodeUid;
  node: Node;
  facts: NodeFacts;
  ownership: Ownership;
  /** On the monotonic clock; `Infinity`: never. */
  dueAtMs: number;
  /** Asked for or written right now. */
  busy: boolean;
  /** In a row, of making it true. */
  failures: number;
  /** More than once where something puts the taint back. */
  initialisations: number;
  record?: NodeRecord;
  instance?: Instance;
  /** When taints of ours were last removed, on the monotonic clock. */
  taintsRemovedAtMs?: number;
  /** What was last decided, in words. */
  reason: string;
  /** In a dry run: what was last said would be written, by the part that it is about. */
  readonly plans: Map<string, string>;
  /** What the log has said of it since it was last in sync. */
  readonly troubles: Set<string>;
  /** The last warning event, so that it is not said again for every attempt. */
  warned?: string;
}

export function beginTracking(node: Node, clouds: readonly EnabledCloud[]): Tracked {
  const facts = factsOf(node);
  const ownership = ownershipOf(facts, clouds);
  return {
    uid: facts.uid,
    node,
    facts,
    ownership,
    dueAtMs: ownership.kind === 'ours' ? 0 : Infinity,
    busy: false,
    failures: 0,
    initialisations: 0,
    plans: new Map(),
    troubles: new Set(),
    reason: ownership.kind === 'ours' ? 'not asked for yet' : ownership.why,
  };
}

/** After a write. The watch may have told of a later version already. */
export function keepNewer(tracked: Tracked, node: Node): void {
  if (!isOlder(node, tracked.node)) tracked.node = node;
}

export function claimsOf({ ownership }: Tracked): readonly Claim[] {
  return ownership.kind === 'ours' ? ownership.claims : [];
}

/** Nodes that are asked for in the same places are asked for together. */
export function groupKeyOf(tracked: Tracked): string {
  return claimsOf(tracked)
    .map(({ scope }) => scope.key)
    .join(' ');
}
