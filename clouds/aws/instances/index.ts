import { Failure } from '../../../lib/failure.ts';
import { rateLimited } from '../../../lib/rate-limited.ts';
import type { CloudSettings, Instances, LookupResult, NodeFacts, NodeUid } from '../../cloud.ts';
import type { AccountSession } from './account-session.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { TopologyLabels } from './topology-labels.ts';
import { createScopeIndex } from './scopes.ts';
import type { InstanceScope } from './scopes.ts';

/** EC2 responds quickly to a request with this many ids. */
const batchMax = 500;

/** EC2's instances. The code for look-ups is imported at the first one, so a registry login never loads it. */
export function createInstances(settings: CloudSettings<AwsConfig>): Instances {
  const { config, env } = settings;
  const scopeIndex = createScopeIndex(config, env);
  const states = new Map<string, ScopeState>();

  async function stateOf(scope: InstanceScope): Promise<ScopeState> {
    const [{ openAccountSession }, { createTopologyLabels: createNetworkLayers }] = await Promise.all([
      import('./account-session.ts'),
      import('./topology-labels.ts'),
    ]);
    const known = states.get(scope.key);
    if (known !== undefined) return known;
    const session = openAccountSession(scope, settings);
    const state = { session, accounts: accountsOf(scope), layers: createNetworkLayers(session) };
    states.set(scope.key, state);
    return state;
  }

  return {
    batchMax,
    scopesOf: (node) => scopeIndex.scopesOf(node),
    lookUp: async (scope, request, context) => {
      const found = scopeIndex.find(scope);
      if (found === undefined) return unroutable(request.nodes);
      const [{ lookUpNodes }, { session, accounts, layers }] = await Promise.all([
        import('./look-up.ts'),
        stateOf(found),
      ]);
      const recordOwner = (ownerId: string): void => void accounts.add(ownerId);
      const deps = { session, layers, families: config.nodeIpFamilies, context: rateLimited(context), recordOwner };
      return lookUpNodes(request, deps);
    },
    verifyAccess: async (scope, context) => {
      const found = scopeIndex.find(scope);
      if (found === undefined) return false;
      const [{ verifyAccess }, { session, accounts }] = await Promise.all([
        import('./verify-access.ts'),
        stateOf(found),
      ]);
      return verifyAccess(accounts, session, rateLimited(context));
    },
  };
}

interface ScopeState {
  readonly session: AccountSession;
  /** The accounts that own the instances of our nodes, configured or found. */
  readonly accounts: Set<string>;
  readonly layers: TopologyLabels;
}

function accountsOf({ config }: InstanceScope): Set<string> {
  return new Set(config?.accountId === undefined ? [] : [config.accountId]);
}

function unroutable(nodes: readonly NodeFacts[]): ReadonlyMap<NodeUid, LookupResult> {
  return new Map(nodes.map((node) => [node.uid, { status: 'unknown', failure: unroutableFailure(node) }]));
}

function unroutableFailure({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `${name} cannot be looked up: its providerID is ${String(providerId)}`, {
    remedy: 'it has to be aws:///<zone>/<instance id>, of a region in aws.scopes of the configuration if that is set',
  });
}
