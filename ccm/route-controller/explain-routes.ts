import { trimNode } from '../../lib/node/trim-node.ts';
import { wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { EnabledCloud } from '../node-controller/ownership.ts';
import { routeText } from './route-log.ts';
import { routedNodeOf } from './routed-node.ts';

/** The routes that a Node needs, and what the leader reported of them, a sentence for each. */
export function explainRoutes(raw: Node, clouds: readonly EnabledCloud[]): readonly string[] {
  const { routes, reason } = routedNodeOf(trimNode(raw), clouds);
  const needed = routes.map(
    ({ podCidr, nextHop, table }) => `${routeText({ podCidr: podCidr.text, nextHop })} in ${table.key}`,
  );
  const condition = raw.status.conditions?.find(({ type }) => type === wellKnown.networkUnavailable);
  const reported =
    condition === undefined
      ? 'the leader has reported nothing yet'
      : `${condition.type} is ${condition.status}, ${condition.reason ?? ''}: ${condition.message ?? ''}`;
  return [...needed, ...(reason === undefined ? [] : [`none or not all, ${reason}`]), reported];
}
