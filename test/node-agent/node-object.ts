import type { Node, NodeAddress } from '../../schemas/kubernetes.ts';

export interface NodeChanges {
  readonly uid?: string;
  readonly version?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly providerID?: string;
  readonly isNew?: boolean;
  readonly addresses?: readonly NodeAddress[];
}

export function nodeWith(changes: NodeChanges): Node {
  const { uid = 'u-1', version = '1', labels = {}, annotations = {}, providerID, isNew = false, addresses } = changes;
  const taint = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' } as const;
  return {
    metadata: {
      name: 'node-a',
      uid,
      resourceVersion: version,
      creationTimestamp: '2026-11-18T12:00:00Z',
      labels,
      annotations,
    },
    spec: { ...(providerID !== undefined && { providerID }), ...(isNew && { taints: [taint] }) },
    status: { ...(addresses !== undefined && { addresses }) },
  };
}
