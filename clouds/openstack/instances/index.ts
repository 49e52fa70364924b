import { Failure } from '../../../lib/failure.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { CloudSettings, Instances } from '../../cloud.ts';
import type { OpenstackConfig } from '../../../schemas/config/openstack.ts';
import type { OpenstackSession } from '../session.ts';
import { createScopeIndex } from './scopes.ts';
import type { OpenstackScope } from './scopes.ts';
import type { ServerIds, ServerList } from './server-list.ts';

/**
 * So many ids fit into one request to Neutron (ports.ts). If none of them is in Nova's list, only a part is requested in
 * one look-up (by-id.ts).
 */
const batchMax = 150;

/** Nova's servers. The code for look-ups is imported at the first one, so a registry login never loads it. */
export function createInstances(settings: CloudSettings<OpenstackConfig>): Instances {
  const scopeIndex = createScopeIndex(settings.config);
  const states = new Map<string, ScopeState>();

  async function stateOf(scope: OpenstackScope): Promise<ScopeState> {
    const [{ openSession }, { createServerIdCache, createServerListCache }] = await Promise.all([
      import('../session.ts'),
      import('./server-list.ts'),
    ]);
    const known = states.get(scope.key);
    if (known !== undefined) return known;
    const { cloud, projectId } = scope.config ?? {};
    const selection = { cloud, projectId, region: scope.region, cloudsFile: settings.config.cloudsFile };
    const session = openSession(selection, settings);
    const projects = new Set(projectId === undefined ? [] : [projectId]);
    const state = { session, projects, lists: createServerListCache(session), ids: createServerIdCache(session) };
    states.set(scope.key, state);
    return state;
  }

  return {
    batchMax,
    scopesOf: (node) => scopeIndex.scopesOf(node),
    lookUp: async (scope, request, context) => {
      const { lookUpNodes, noServer } = await import('./look-up.ts');
      const found = scopeIndex.find(scope);
      if (found === undefined) {
        return new Map(request.nodes.map((node) => [node.uid, { status: 'unknown', failure: noServer(node) }]));
      }
      const state = await stateOf(found);
      return lookUpNodes(request, { ...state, config: settings.config, context: rateLimited(context) });
    },
    verifyAccess: async (scope, context) => {
      const found = scopeIndex.find(scope);
      if (found === undefined) return false;
      const [{ verifyAccess }, { session, projects }] = await Promise.all([
        import('./verify-access.ts'),
        stateOf(found),
      ]);
      try {
        return await verifyAccess(projects, session, rateLimited(context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        context.log.debug(`the access to the project could not be verified: ${error.message}`);
        return false;
      }
    },
  };
}

interface ScopeState {
  readonly session: OpenstackSession;
  /** Those that own the servers of our nodes, configured or found. */
  readonly projects: Set<string>;
  readonly lists: ListCache<ServerList>;
  readonly ids: ListCache<ServerIds>;
}
