import type { NodeAddress } from '../../schemas/kubernetes.ts';

/** The same whether it was read from the cloud's API or from the instance's own metadata. */
export interface Instance {
  readonly providerId: string;
  readonly type?: string;
  readonly region?: string;
  readonly zone?: string;
  /** In order of preference. */
  readonly addresses: readonly NodeAddress[];
  /** Further labels of the place: rack, zone id, network layers. */
  readonly labels: Readonly<Record<string, string>>;
}
