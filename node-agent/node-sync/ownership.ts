import type { NodeCloud } from '../detect.ts';
import { factsOf } from '../../lib/node/facts.ts';
import { clouds } from '../../clouds/index.ts';
import type { Instance } from '../../clouds/index.ts';
import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

/** Why no agent manages this Node, on whatever cloud its machine runs. `undefined`: one may. */
export function whyUnmanaged({ metadata, spec }: Node): string | undefined {
  const label = metadata.labels?.[keys.ownership];
  if (label === 'false') return `label ${keys.ownership} is false`;
  const owner = clouds.find(({ name, providerId }) =>
    label === undefined ? providerId.pattern.test(spec.providerID ?? '') : name === label,
  );
  if (owner === undefined || owner.capabilities.includes('metadata')) return undefined;
  return `${owner.name} has no instance metadata; the controller describes its Nodes`;
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
