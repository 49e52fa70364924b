import type { KubernetesClient } from '../../lib/kubernetes/client.ts';
import { isKubernetesError } from '../../lib/kubernetes/kubernetes-error.ts';
import type { KubernetesErrorKind } from '../../lib/kubernetes/kubernetes-error.ts';
import { leases } from '../../lib/kubernetes/resources.ts';
import type { Lease } from '../../schemas/kubernetes.ts';
import type { LeaseStore } from './lease-store.ts';

export interface LeaseRef {
  readonly namespace: string;
  readonly name: string;
}

/** Needs `get`, `create` and `patch` on leases in the namespace. Each update writes the annotations; `null` removes one. */
export function kubernetesLeaseStore(
  client: Pick<KubernetesClient, 'get' | 'create' | 'patch'>,
  leaseRef: LeaseRef,
  annotations: () => Readonly<Record<string, string | null>>,
): LeaseStore {
  return {
    read: (signal) => ignoring(['not-found'], undefined, () => client.get(leases, leaseRef, signal)),
    create: (spec, signal) =>
      ignoring(['already-exists'], 'conflict', () => client.create(leases, { metadata: leaseRef, spec }, signal)),
    update: (lease, signal) => {
      const { resourceVersion, uid } = lease.metadata;
      const version = { ...leaseRef, resourceVersion, uid };
      const patch = { type: 'merge', body: { metadata: { annotations: annotations() }, spec: lease.spec } } as const;
      return ignoring(['conflict', 'not-found'], 'conflict', () => client.patch(leases, version, patch, signal));
    },
  };
}

/** The answer in place of an error of these kinds. */
async function ignoring<A>(
  kinds: readonly KubernetesErrorKind[],
  fallback: A,
  run: () => Promise<Lease>,
): Promise<Lease | A> {
  try {
    return await run();
  } catch (error) {
    if (kinds.some((kind) => isKubernetesError(error, kind))) return fallback;
    throw error;
  }
}
