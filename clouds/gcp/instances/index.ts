import { Failure } from '../../../lib/failure.ts';
import type { ListCache } from '../../../lib/list-cache.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { CloudSettings, Instances } from '../../cloud.ts';
import type { GcpConfig } from '../../../schemas/config/gcp.ts';
import type { InstanceList } from './list.ts';
import type { ProjectSession } from './project-session.ts';
import { createScopeIndex } from './scopes.ts';
import type { ProjectScope } from './scopes.ts';

/**
 * If none of them is in the list, each needs a request. At 5 requests a second that takes 20 s of the 30 s that a
 * look-up has, so the pages of the list and the requests for `verify` still fit.
 */
const batchMax = 100;

/** Compute Engine's instances. The code for look-ups is imported at the first one, so a registry login never loads it. */
export function createInstances(settings: CloudSettings<GcpConfig>): Instances {
  const scopeIndex = createScopeIndex(settings.config);
  const states = new Map<string, ScopeState>();

  async function stateOf(scope: ProjectScope): Promise<ScopeState> {
    const [{ openProjectSession }, { createInstanceListCache }] = await Promise.all([
      import('./project-session.ts'),
      import('./list.ts'),
    ]);
    const known = states.get(scope.key);
    if (known !== undefined) return known;
    const session = openProjectSession(scope, settings);
    const state = { session, lists: createInstanceListCache(session) };
    states.set(scope.key, state);
    return state;
  }

  return {
    batchMax,
    scopesOf: (node) => scopeIndex.scopesOf(node),
    lookUp: async (scope, request, context) => {
      const found = scopeIndex.find(scope);
      if (found === undefined) {
        const { noInstance } = await import('./lookup-result.ts');
        return new Map(request.nodes.map((node) => [node.uid, { status: 'unknown', failure: noInstance(node) }]));
      }
      const [{ lookUpNodes }, state] = await Promise.all([import('./look-up.ts'), stateOf(found)]);
      return lookUpNodes(request, { ...state, context: rateLimited(context) });
    },
    verifyAccess: async (scope, context) => {
      const found = scopeIndex.find(scope);
      if (found === undefined) return false;
      const [{ canList }, { session }] = await Promise.all([import('./list.ts'), stateOf(found)]);
      try {
        return await canList(session, rateLimited(context));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        context.log.debug(`the access to the project could not be verified: ${error.message}`);
        return false;
      }
    },
  };
}

interface ScopeState {
  readonly session: ProjectSession;
  readonly lists: ListCache<InstanceList>;
}
