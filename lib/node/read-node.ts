import { wellKnown } from '../../schemas/keys.ts';
import type { Node } from '../../schemas/kubernetes.ts';

/** The addresses that the kubelet was given by --node-ip. */
export function providedNodeIps(node: Node): readonly string[] {
  const text = node.metadata.annotations?.[wellKnown.providedNodeIp] ?? '';
  return text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]));
}

export function isUninitialized(node: Node): boolean {
  return (node.spec.taints ?? []).some(({ key }) => key === wellKnown.uninitializedTaint);
}

/** Without a condition `Ready` the Node is not Ready. */
export function isReady(node: Node): boolean {
  return (node.status.conditions ?? []).some(({ type, status }) => type === 'Ready' && status === 'True');
}
