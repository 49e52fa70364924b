import { Failure } from '../../lib/failure.ts';
import type { CloudSettings, Finding, Instances, NodeFacts, NodeUid } from '../cloud.ts';
import type { AccountSession } from './account-session.ts';
import type { AwsConfig } from './config.ts';
import type { NetworkLayers } from './network-layers.ts';
import { createScopeBook } from './instance-scopes.ts';
import type { InstanceScope } from './instance-scopes.ts';

/** As many ids as EC2 answers for quickly in one question. */
const batchMax = 500;

/** EC2's instances. What asks is imported when it is needed: whoever only logs in to registries never does. */
export function createInstances(settings: CloudSettings<AwsConfig>): Instances {
  const { config, env } = settings;
  const book = createScopeBook(config, env);
  const places = new Map<string, Place>();

  async function placeOf(scope: InstanceScope): Promise<Place> {
    const [{ openAccountSession }, { createNetworkLayers }] = await Promise.all([
      import('./account-session.ts'),
      import('./network-layers.ts'),
    ]);
    const known = places.get(scope.key);
    if (known !== undefined) return known;
    const session = openAccountSession(scope, settings);
    const place = { session, accounts: accountsOf(scope), layers: createNetworkLayers(session) };
    places.set(scope.key, place);
    return place;
  }

  return {
    batchMax,
    route: (node) => book.route(node),
    look: async (scope, nodes, context) => {
      const found = book.find(scope);
      if (found === undefined) return nobodyToAsk(nodes);
      const [{ lookAt }, { session, accounts, layers }] = await Promise.all([import('./look.ts'), placeOf(found)]);
      const learnOwner = (ownerId: string): void => void accounts.add(ownerId);
      return lookAt(nodes, { session, layers, families: config.nodeIpFamilies, context, learnOwner });
    },
    vouch: async (scope, context) => {
      const found = book.find(scope);
      if (found === undefined) return false;
      const [{ vouchFor }, { session, accounts }] = await Promise.all([import('./vouch.ts'), placeOf(found)]);
      return vouchFor(accounts, session, context);
    },
  };
}

interface Place {
  readonly session: AccountSession;
  /** Those that own the instances of our nodes: as configured, or as seen. */
  readonly accounts: Set<string>;
  readonly layers: NetworkLayers;
}

function accountsOf({ config }: InstanceScope): Set<string> {
  return new Set(config?.accountId === undefined ? [] : [config.accountId]);
}

function nobodyToAsk(nodes: readonly NodeFacts[]): ReadonlyMap<NodeUid, Finding> {
  return new Map(nodes.map((node) => [node.uid, { is: 'unknown', failure: unreachable(node) }]));
}

function unreachable({ name, providerId }: NodeFacts): Failure {
  return new Failure('misconfigured', `nobody can be asked for ${name}: its providerID is ${String(providerId)}`, {
    remedy: 'it has to be aws:///<zone>/<instance id>, of a region in aws.scopes of the configuration if that is set',
  });
}
