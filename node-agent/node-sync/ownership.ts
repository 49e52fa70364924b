import type { NodeCloud } from '../detect.ts';
import { factsOf } from '../../lib/node/facts.ts';
import type { Instance } from '../../clouds/index.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

/** Why the agent must not manage this Node, on any cloud. `undefined`: it may. */
export function whyUnmanaged({ metadata }: Node): string | undefined {
  return metadata.labels?.[keys.ownership] === 'false' ? `label ${keys.ownership} is false` : undefined;
}

/** Why the Node belongs to another cloud, by the same rules as in the controller. `undefined`: it does not. */
export function whyForeign(node: Node, { name, instances }: NodeCloud): string | undefined {
  const label = node.metadata.labels?.[keys.ownership];
  if (label !== undefined && label !== name) {
    return `label ${keys.ownership} assigns it to ${label}, but this machine runs on ${name}`;
  }
  if (instances === undefined || instances.scopesOf(factsOf(node)) !== undefined) return undefined;
  return `providerID ${node.spec.providerID ?? ''} is not one of ${name}`;
}

/** Whether the Node's providerID names this instance, or is not set yet. It may omit the zone. */
export function namesInstance({ spec }: Node, { providerId }: Instance): boolean {
  const [given, own] = [partsOf(spec.providerID ?? ''), partsOf(providerId)];
  return given.every((part, index) => own.at(index - given.length) === part);
}

/** Without the scheme, in lower case: clouds ignore case in these paths. */
function partsOf(providerId: string): readonly string[] {
  return providerId
    .toLowerCase()
    .replace(/^[a-z-]+:\/\//, '')
    .split('/')
    .filter((part) => part !== '');
}
