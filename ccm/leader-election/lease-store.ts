import type { Lease } from '../../schemas/kubernetes.ts';

/** The one Lease that the candidates share. Whatever is thrown means that it is not known what happened. */
export interface LeaseStore {
  /** `undefined`: there is none. The answer must be the newest, not a cache's. */
  read(signal: AbortSignal): Promise<Lease | undefined>;
  /** `conflict`: somebody else was faster. */
  create(spec: Lease['spec'], signal: AbortSignal): Promise<Lease | 'conflict'>;
  /** Replaces exactly the version that `metadata.resourceVersion` names. `conflict`: it is another by now, or gone. */
  update(lease: Lease, signal: AbortSignal): Promise<Lease | 'conflict'>;
}
