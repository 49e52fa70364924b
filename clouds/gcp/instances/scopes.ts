import type { NodeFacts, Scope } from '../../cloud.ts';
import type { GcpConfig, ProjectConfig } from '../../../schemas/config/gcp.ts';
import { parseProviderId } from '../provider-id.ts';

/** A project whose instances are looked up. */
export interface ProjectScope extends Scope {
  /** Absent: the project of the machine that we run on, with our own identity. */
  readonly config: ProjectConfig | undefined;
}

export interface GcpScopeIndex {
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  /** `undefined`: the scope for nodes that cannot be looked up. */
  find(scope: Scope): ProjectScope | undefined;
}

/**
 * For nodes whose providerID has Google's scheme but names no configured project. They belong to this cloud, and their
 * result has the reason. So a kubelet cannot choose which project is asked.
 */
const unroutableScope: Scope = { cloud: 'gcp', key: 'gcp/nowhere' };
/** Without a configuration. */
const ownScope: ProjectScope = { cloud: 'gcp', key: 'gcp/own-project', config: undefined };

export function createScopeIndex({ projects }: Pick<GcpConfig, 'projects'>): GcpScopeIndex {
  const configured = projects.map((config) => ({ cloud: 'gcp', key: `gcp/${config.name}`, config }));
  const all: readonly ProjectScope[] = configured.length > 0 ? configured : [ownScope];
  return {
    scopesOf: ({ providerId }) => {
      if (providerId === undefined || providerId === '') return all.map(publicScope);
      const parsed = parseProviderId(providerId);
      if (parsed.is === 'foreign') return undefined;
      if (parsed.is === 'unreadable') return [unroutableScope];
      const found = all.filter(({ config }) => config === undefined || config.projectId === parsed.project);
      return found.length === 0 ? [unroutableScope] : found.map(publicScope);
    },
    find: ({ key }) => all.find((each) => each.key === key),
  };
}

/** What programs see. */
function publicScope({ cloud, key }: Scope): Scope {
  return { cloud, key };
}
