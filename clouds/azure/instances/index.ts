import type { Context } from '../../../lib/context.ts';
import type { Instances, LookupContext } from '../../cloud.ts';
import type { AzureSettings } from '../identity/resolve-identity.ts';
import type { ListedDocuments } from './listed-documents.ts';
import type { ResourceManager } from './resource-manager.ts';
import { createSubscriptionScopes } from './scopes.ts';
import type { SubscriptionScope } from './scopes.ts';

/** Lists are shared by all of them. */
const batchMax = 500;

/** Virtual machines, alone and in scale sets. The code for look-ups is imported at the first one. */
export function createInstances(settings: AzureSettings): Instances {
  const scopes = createSubscriptionScopes(settings.config, settings.env);
  const states = new Map<string, ScopeState>();

  async function stateOf(scope: SubscriptionScope): Promise<ScopeState> {
    const [{ openResourceManager }, { createListedDocuments }] = await Promise.all([
      import('./resource-manager.ts'),
      import('./listed-documents.ts'),
    ]);
    const known = states.get(scope.key);
    if (known !== undefined) return known;
    const manager = openResourceManager(scope, settings);
    const state = { manager, lists: createListedDocuments(manager), subscriptions: subscriptionsOf(scope) };
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
      const { manager, lists, subscriptions } = await stateOf(found);
      return lookUpNodes(request, {
        manager,
        lists,
        context: rateLimited(context),
        subscriptionId: found.subscriptionId,
        includes: (machine) => scopes.includes(found, machine),
        recordSubscription: (subscriptionId) => void subscriptions.add(subscriptionId),
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

/** Every request takes a token, those for tokens of Entra as well. */
function rateLimited({ beforeCall, ...context }: LookupContext): Context {
  const { http } = context;
  const send: typeof http.send = async (request, signal) => {
    await beforeCall();
    return http.send(request, signal);
  };
  return { ...context, http: { ...http, send } };
}

interface ScopeState {
  readonly manager: ResourceManager;
  readonly lists: ListedDocuments;
  /** In lower case: those of our nodes' machines, configured or found. */
  readonly subscriptions: Set<string>;
}

function subscriptionsOf({ config }: SubscriptionScope): Set<string> {
  return new Set(config === undefined ? [] : [config.subscriptionId.toLowerCase()]);
}
