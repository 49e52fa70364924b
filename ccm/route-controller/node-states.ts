import type { NodeUid } from '../../clouds/index.ts';
import { creationKeyOf } from './apply-decision.ts';
import type { RouteDecision, RouteVerdict } from './decide.ts';
import type { WantedRoute } from './routed-node.ts';
import type { NodeRouteState, RouteTable } from './state.ts';

const severity = { present: 0, pending: 1, failed: 2 };

/** The worst state of its routes is that of the Node. Pure. */
export function nodeStates(
  { verdicts }: RouteDecision,
  created: ReadonlySet<WantedRoute>,
  { retries }: Pick<RouteTable, 'retries'>,
): ReadonlyMap<NodeUid, NodeRouteState> {
  const byNode = new Map<NodeUid, NodeRouteState>();
  for (const [wanted, verdict] of verdicts) {
    const next = created.has(wanted) ? ({ is: 'present' } as const) : stateOf(wanted, verdict, retries);
    const known = byNode.get(wanted.uid);
    if (known === undefined || severity[next.is] > severity[known.is]) byNode.set(wanted.uid, next);
  }
  return byNode;
}

function stateOf(wanted: WantedRoute, verdict: RouteVerdict, retries: RouteTable['retries']): NodeRouteState {
  if (verdict.is === 'present') return { is: 'present' };
  if (verdict.is === 'blocked') return { is: 'failed', reason: verdict.reason };
  const failure = retries.get(creationKeyOf(wanted))?.failure;
  if (failure === undefined) return { is: 'pending' };
  return { is: 'failed', reason: `${failure.message}; hint: ${failure.remedy}` };
}
