import type { NodeCloud } from '../detect.ts';
import { factsOf } from '../../lib/node/facts.ts';
import type { Instance } from '../../lib/node/instance.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

/** Why the Node is none of our business, whatever this machine is; `undefined`: it may be. */
export function whyUnmanaged({ metadata }: Node): string | undefined {
  return metadata.labels?.[keys.ownership] === 'false' ? `label ${keys.ownership} is false` : undefined;
}

/** Why the Node is not one of this machine's cloud; by the same rules as the controller's. */
export function whyForeign(node: Node, { name, instances }: NodeCloud): string | undefined {
  const label = node.metadata.labels?.[keys.ownership];
  if (label !== undefined && label !== name) {
    return `label ${keys.ownership} gives it to ${label}, and this is a machine of ${name}`;
  }
  if (instances === undefined || instances.scopesOf(factsOf(node)) !== undefined) return undefined;
  return `providerID ${node.spec.providerID ?? ''} is not one of ${name}`;
}

/** Does the Node's providerID, if it has one, name this instance? It may leave out where the instance is. */
export function namesInstance({ spec }: Node, { providerId }: Instance): boolean {
  const [given, own] = [partsOf(spec.providerID ?? ''), partsOf(providerId)];
  return given.every((part, index) => own.at(index - given.length) === part);
}

/** Without the scheme; clouds do not tell upper from lower case in their paths. */
function partsOf(providerId: string): readonly string[] {
  return providerId
    .toLowerCase()
    .replace(/^[a-z-]+:\/\//, '')
    .split('/')
    .filter((part) => part !== '');
}
