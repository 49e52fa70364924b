import type { Pod } from '../../../lib/kubernetes/objects.ts';
import { keys, wellKnown } from '../../../schemas/keys.ts';
import type { KubernetesObject } from '../../../schemas/kubernetes.ts';

/** What a drain has to know of a pod. A whole pod is a hundred times as large. */
export interface DrainPod extends KubernetesObject {
  readonly graceSeconds: number;
  /** Pods with a smaller one go first. */
  readonly order: number;
  /** Why a drain leaves it alone. Absent: it has to go. */
  readonly stays?: string;
  /** When it will be killed, if it was asked to go. */
  readonly endsAtMs?: number;
}

/** Kubernetes' own default. */
const defaultGraceSeconds = 30;

export function toDrainPod({ metadata, spec, status }: Pod): DrainPod {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, annotations = {} } = metadata;
  const stays = whyItStays({ metadata, spec, status });
  return {
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid,
      resourceVersion,
      creationTimestamp,
    },
    graceSeconds: spec.terminationGracePeriodSeconds ?? defaultGraceSeconds,
    order: orderIn(annotations[keys.drainOrder]),
    ...(stays !== undefined && { stays }),
    ...(deletionTimestamp !== undefined && { endsAtMs: Date.parse(deletionTimestamp) }),
  };
}

/** A DaemonSet's pod would come back at once. A mirror pod is only a picture of a file on the node. */
function whyItStays({ metadata, status }: Pod): string | undefined {
  const { annotations = {}, ownerReferences = [] } = metadata;
  if (annotations[wellKnown.mirrorPod] !== undefined) return 'mirror pod';
  if (ownerReferences.some(({ kind, controller }) => kind === 'DaemonSet' && controller === true)) return 'DaemonSet';
  if (status.phase === 'Succeeded' || status.phase === 'Failed') return 'completed';
  return annotations[keys.drainPod] === 'false' ? `annotation ${keys.drainPod}` : undefined;
}

/** A text that is not a whole number counts as none. */
function orderIn(text = '0'): number {
  return /^-?\d{1,6}$/.test(text) ? Number(text) : 0;
}
