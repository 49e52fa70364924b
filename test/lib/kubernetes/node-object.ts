import type { Node } from '../../../schemas/kubernetes.ts';

export interface NodeObjectFields {
  readonly name: string;
  readonly uid: string;
  readonly version: string;
}

/** A Node with what every object has. */
export function nodeObject({ name, uid, version }: NodeObjectFields): Node {
  const metadata = { name, uid, resourceVersion: version, creationTimestamp: '2026-11-18T12:00:00Z' };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: {}, status: {} };
}

export function nodeList(version: string, nodes: readonly Node[], continueToken?: string): object {
  const metadata = { resourceVersion: version, ...(continueToken !== undefined && { continue: continueToken }) };
  return { apiVersion: 'v1', kind: 'NodeList', metadata, items: nodes };
}
