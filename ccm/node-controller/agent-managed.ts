import type { Instance } from '../../clouds/index.ts';
import { isUninitialized } from '../../lib/node/read-node.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';
import type { ControllerSettings } from './dependencies.ts';

/** The agent keeps the addresses and labels of its Node. Two writers would undo each other's work. */
export function isManagedByAgent(
  node: Node,
  { agentHeadStartMs }: Pick<ControllerSettings, 'agentHeadStartMs'>,
): boolean {
  const isMarked = node.metadata.annotations?.[keys.describedByAgent] !== undefined;
  return agentHeadStartMs > 0 && isMarked && !isUninitialized(node);
}

/** Labels that only the cloud's API has, such as layers of its network, where the Node lacks them. */
export function onlyMissingLabels({ providerId, labels, unread }: Instance, { metadata }: Node): Instance {
  const missing = Object.entries(labels).filter(([key]) => metadata.labels?.[key] === undefined);
  return { providerId, addresses: [], labels: Object.fromEntries(missing), ...(unread && { unread }) };
}
