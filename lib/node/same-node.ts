import { keys } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

/** Whether a decision still applies to this Node: same object, same instance, same owner, not being deleted. */
export function isSameNode(before: Node, now: Node): boolean {
  return (
    before.metadata.uid === now.metadata.uid &&
    before.spec.providerID === now.spec.providerID &&
    before.metadata.labels?.[keys.ownership] === now.metadata.labels?.[keys.ownership] &&
    now.metadata.deletionTimestamp === undefined
  );
}

/** The API server's versions increase. If one is not a number, the order is unknown, and the result is `false`. */
export function isOlder(a: Node, b: Node): boolean {
  const [first, second] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  const areNumbers = /^\d+$/.test(first) && /^\d+$/.test(second);
  return areNumbers && BigInt(first) < BigInt(second);
}
