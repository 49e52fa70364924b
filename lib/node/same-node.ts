import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

/** Is this still the Node that something was decided on: the same object, of the same instance, in the same hands? */
export function isSameNode(before: Node, now: Node): boolean {
  return (
    before.metadata.uid === now.metadata.uid &&
    before.spec.providerID === now.spec.providerID &&
    before.metadata.labels?.[keys.ownership] === now.metadata.labels?.[keys.ownership] &&
    now.metadata.deletionTimestamp === undefined
  );
}

/** The API server's versions count up. Those that are no numbers say nothing, and then the later word counts. */
export function isOlder(a: Node, b: Node): boolean {
  const [first, second] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  const areNumbers = /^\d+$/.test(first) && /^\d+$/.test(second);
  return areNumbers && BigInt(first) < BigInt(second);
}
