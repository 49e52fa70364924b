import type { LeaseStore } from '../../../ccm/leader-election/lease-store.ts';
import type { Lease } from '../../../schemas/kubernetes.ts';

/** One Lease as an API server keeps it: each write gives it a version, and a write of an old version is refused. */
export interface LeaseServer extends LeaseStore {
  lease(): Lease | undefined;
  remove(): void;
  /** A change by another client than a candidate. */
  put(lease: Lease): void;
  readonly requests: readonly ('read' | 'create' | 'update')[];
}

export interface LeaseServerOptions {
  /** False: it believes every writer, which no API server does; it shows what versions are for. */
  readonly checksVersions: boolean;
}

export function createLeaseServer({ checksVersions }: LeaseServerOptions): LeaseServer {
  const requests: ('read' | 'create' | 'update')[] = [];
  let stored: Lease | undefined;
  let version = 0;
  const put = (lease: Lease): Lease => {
    version += 1;
    stored = { ...lease, metadata: { ...lease.metadata, resourceVersion: String(version) } };
    return stored;
  };
  return {
    requests,
    lease: () => stored,
    remove: () => {
      stored = undefined;
    },
    put,
    read: async () => {
      requests.push('read');
      return stored;
    },
    create: async (spec) => {
      requests.push('create');
      return stored === undefined || !checksVersions ? put({ metadata, spec }) : 'conflict';
    },
    update: async (lease) => {
      requests.push('update');
      const isNewest = stored?.metadata.resourceVersion === lease.metadata.resourceVersion;
      return isNewest || !checksVersions ? put(lease) : 'conflict';
    },
  };
}

const metadata = {
  name: 'cloud-controller-manager',
  namespace: 'kube-system',
  uid: '7a3f0c52-5b1c-4f0e-9d55-3a1f5f5b0c11',
  resourceVersion: '0',
  creationTimestamp: '2026-11-18T12:00:00Z',
};
