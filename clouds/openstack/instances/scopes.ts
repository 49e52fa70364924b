import type { NodeFacts, Scope } from '../../cloud.ts';
import type { OpenstackConfig, OpenstackScopeConfig } from '../../../schemas/config/openstack.ts';
import { keys } from '../../../schemas/keys.ts';
import { parseProviderId } from '../provider-id.ts';

/** A project and region whose servers are looked up. */
export interface OpenstackScope extends Scope {
  /** Absent: that of the credentials, or the only one of the catalog. */
  readonly region: string | undefined;
  /** Absent: the credentials of OS_CLOUD, of OS_*, or of the only entry of clouds.yaml. */
  readonly config: OpenstackScopeConfig | undefined;
}

export interface OpenstackScopeIndex {
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  /** `undefined`: the scope for nodes that cannot be looked up. */
  find(scope: Scope): OpenstackScope | undefined;
}

/**
 * For nodes whose providerID has OpenStack's scheme but names no server, or a region that has no scope. They belong to
 * this cloud, and their result has the reason. So a kubelet cannot choose which region is asked.
 */
const unroutableScope: Scope = { cloud: 'openstack', key: 'openstack/nowhere' };
const ownKey = 'openstack/own-project';

type ScopesConfig = Pick<OpenstackConfig, 'scopes' | 'region'>;

export function createScopeIndex({ scopes, region: ownRegion }: ScopesConfig): OpenstackScopeIndex {
  const configured = scopes.map((config) => ({
    cloud: 'openstack',
    key: `openstack/${config.name}`,
    region: config.region ?? ownRegion,
    config,
  }));
  const own: OpenstackScope = { cloud: 'openstack', key: ownKey, region: ownRegion, config: undefined };
  const all: readonly OpenstackScope[] = configured.length > 0 ? configured : [own];
  return {
    scopesOf: ({ providerId, labels }) => {
      const project = labels[keys.openstackProject];
      if (providerId === undefined || providerId === '') return all.map(publicScope);
      const parsed = parseProviderId(providerId);
      if (parsed.is === 'foreign') return undefined;
      if (parsed.is === 'unreadable') return [unroutableScope];
      const found = all.filter((scope) => canHave(scope, parsed.region, project));
      return found.length === 0 ? [unroutableScope] : found.map(publicScope);
    },
    find: ({ key }) => all.find((each) => each.key === key),
  };
}

/** A region or project that the scope does not name is known only when it is asked. */
function canHave({ region, config }: OpenstackScope, regionOfNode: string, projectOfNode: string | undefined): boolean {
  const isInRegion = regionOfNode === '' || region === undefined || region === regionOfNode;
  const projectId = config?.projectId;
  return isInRegion && (projectOfNode === undefined || projectId === undefined || projectId === projectOfNode);
}

/** What programs see. */
function publicScope({ cloud, key }: Scope): Scope {
  return { cloud, key };
}
