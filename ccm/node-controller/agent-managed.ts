import type { Instance } from '../../clouds/index.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { ControllerSettings } from './dependencies.ts';

/** The agent on the node keeps its addresses and labels; two who write the same thing would undo each other's work. */
export function isManagedByAgent(
  node: Node,
  { agentHeadStartMs }: Pick<ControllerSettings, 'agentHeadStartMs'>,
): boolean {
  const isMarked = node.metadata.annotations?.[keys.describedByAgent] !== undefined;
  return agentHeadStartMs > 0 && isMarked && !isUninitialized(node);
}

/** What the cloud's API alone knows, such as layers of its network: the further labels that nobody has written. */
export function onlyMissingLabels({ providerId, labels, unread }: Instance, { metadata }: Node): Instance {
  const missing = Object.entries(labels).filter(([key]) => metadata.labels?.[key] === undefined);
  return { providerId, addresses: [], labels: Object.fromEntries(missing), ...(unread && { unread }) };
}
