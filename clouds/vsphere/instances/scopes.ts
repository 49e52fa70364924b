import type { NodeFacts, Scope } from '../../cloud.ts';
import { keys } from '../../../schemas/keys.ts';
import type { VcenterConfig, VsphereConfig } from '../../../schemas/config/vsphere.ts';
import { parseProviderId } from '../provider-id.ts';

/** One vCenter. */
export interface VcenterScope extends Scope {
  readonly vcenter: VcenterConfig;
}

export interface VsphereScopeIndex {
  readonly all: readonly VcenterScope[];
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  /** `undefined`: the scope for nodes that cannot be looked up. */
  find(scope: Scope): VcenterScope | undefined;
}

/** For nodes whose providerID has vSphere's scheme but is no UUID. Their result has the reason. */
const unroutableScope: Scope = { cloud: 'vsphere', key: 'vsphere/nowhere' };

/**
 * A providerID does not name its vCenter. A Node gets a label with the name of the one that has its machine, and is looked
 * up there; without such a label, in all. The label only says where to begin: before an instance counts as missing, every
 * vCenter is asked.
 */
export function createScopeIndex({ vcenters }: Pick<VsphereConfig, 'vcenters'>): VsphereScopeIndex {
  const all = vcenters.map((vcenter) => ({ cloud: 'vsphere', key: `vsphere/${vcenter.name}`, vcenter }));
  return {
    all,
    scopesOf: ({ providerId, labels }) => {
      const parsed = providerId ? parseProviderId(providerId) : undefined;
      if (parsed?.is === 'foreign') return undefined;
      if (parsed?.is === 'unreadable') return [unroutableScope];
      const home = parsed && all.find(({ vcenter }) => vcenter.name === labels[keys.vsphereVcenter]);
      return (home === undefined ? all : [home]).map(publicScope);
    },
    find: ({ key }) => all.find((each) => each.key === key),
  };
}

/** What programs see. */
function publicScope({ cloud, key }: Scope): Scope {
  return { cloud, key };
}
