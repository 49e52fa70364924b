import { rateLimited } from '../../../lib/rate-limited.ts';
import type { Instances } from '../../cloud.ts';
import type { AzureSettings } from '../identity/resolve-identity.ts';
import type { ScopeState } from './open-scope.ts';
import { createSubscriptionScopes } from './scopes.ts';
import type { SubscriptionScope } from './scopes.ts';

/** Lists are shared by all of them. */
const batchMax = 500;

/** Virtual machines, alone and in scale sets. The code for look-ups is imported at the first one. */
export function createInstances(settings: AzureSettings): Instances {
  const scopes = createSubscriptionScopes(settings.config, settings.env);
  const states = new Map<string, ScopeState>();

  async function stateOf(scope: SubscriptionScope): Promise<ScopeState> {
    const { openScope } = await import('./open-scope.ts');
    const state = states.get(scope.key) ?? openScope(scope, settings);
    states.set(scope.key, state);
    return state;
  }

  return {
    batchMax,
    scopesOf: (node) => scopes.scopesOf(node),
    lookUp: async (scope, request, context) => {
      const found = scopes.find(scope);
      const { lookUpNodes, unroutable } = await import('./look-up.ts');
      if (found === undefined) return new Map(request.nodes.map((node) => [node.uid, unroutable(node)]));
      const state = await stateOf(found);
      return lookUpNodes(request, {
        ...state,
        context: rateLimited(context),
        subscriptionId: found.subscriptionId,
        includes: (machine) => scopes.includes(found, machine),
        recordSubscription: (subscriptionId) => void state.subscriptions.add(subscriptionId),
      });
    },
    verifyAccess: async (scope, context) => {
      const found = scopes.find(scope);
      if (found === undefined) return false;
      const [{ verifyAccess }, { manager, subscriptions }] = await Promise.all([
        import('./verify-access.ts'),
        stateOf(found),
      ]);
      return verifyAccess(subscriptions, manager, rateLimited(context));
    },
  };
}
