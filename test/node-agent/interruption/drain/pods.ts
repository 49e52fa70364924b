import type { Pod } from '../../../../lib/kubernetes/objects.ts';
import { toDrainPod } from '../../../../node-agent/interruption/drain/drain-pod.ts';
import type { DrainPod } from '../../../../node-agent/interruption/drain/drain-pod.ts';

export interface PodChanges {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: string;
  readonly phase?: string;
  readonly graceSeconds?: number;
  readonly endsAtMs?: number;
  readonly createdAtMs?: number;
}

export function drainPod(name: string, changes: PodChanges = {}): DrainPod {
  return toDrainPod(podNamed(name, changes));
}

/** As the API server sends it. */
function podNamed(name: string, changes: PodChanges): Pod {
  const { annotations, owner, phase = 'Running', graceSeconds, endsAtMs, createdAtMs } = changes;
  const creationTimestamp = createdAtMs === undefined ? '2026-11-18T11:00:00Z' : new Date(createdAtMs).toISOString();
  return {
    metadata: {
      name,
      namespace: 'shop',
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp,
      ...(annotations !== undefined && { annotations }),
      ...(owner !== undefined && { ownerReferences: [{ kind: owner, controller: true }] }),
      ...(endsAtMs !== undefined && { deletionTimestamp: new Date(endsAtMs).toISOString() }),
    },
    spec: { nodeName: 'node-a', ...(graceSeconds !== undefined && { terminationGracePeriodSeconds: graceSeconds }) },
    status: { phase },
  };
}
