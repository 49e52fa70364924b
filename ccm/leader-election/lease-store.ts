import type { Lease } from '../../schemas/kubernetes.ts';

/** The Lease that the candidates share. After an error it is unknown what happened. */
export interface LeaseStore {
  /** `undefined`: there is none. The result must be the newest, not from a cache. */
  read(signal: AbortSignal): Promise<Lease | undefined>;
  /** `conflict`: another candidate was faster. */
  create(spec: Lease['spec'], signal: AbortSignal): Promise<Lease | 'conflict'>;
  /** Replaces exactly the version in `metadata.resourceVersion`. `conflict`: it has changed, or is gone. */
  update(lease: Lease, signal: AbortSignal): Promise<Lease | 'conflict'>;
}
