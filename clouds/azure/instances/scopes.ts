import { createHash } from 'node:crypto';
import type { NodeFacts, Scope } from '../../cloud.ts';
import type { Environment } from '../../../lib/environment.ts';
import type { AzureConfig, AzureScopeConfig } from '../../../schemas/config/azure.ts';
import { parseProviderId } from '../provider-id.ts';
import type { MachineResource } from '../provider-id.ts';

/** Where machines are asked for. */
export interface SubscriptionScope extends Scope {
  /** Absent: our own identity, in the subscription of each node's providerID. */
  readonly config: AzureScopeConfig | undefined;
  /** That of nodes without a providerID, if it is known. */
  readonly subscriptionId: string | undefined;
}

export interface SubscriptionScopes {
  scopesOf(node: NodeFacts): readonly Scope[] | undefined;
  /** `undefined`: the scope for nodes that cannot be looked up. */
  find(scope: Scope): SubscriptionScope | undefined;
  /** May this machine be looked up in the scope? */
  includes(scope: Omit<SubscriptionScope, 'subscriptionId'>, machine: MachineResource): boolean;
}

/**
 * For nodes whose providerID has Azure's scheme but names no machine in a scope. They belong to this cloud, and their
 * result has the reason.
 */
const unroutableScope: Scope = { cloud: 'azure', key: 'azure/nowhere' };
/** Azure's own controller leaves nodes with this label alone. */
const managedLabel = 'kubernetes.azure.com/managed';

export function createSubscriptionScopes(
  { scopes }: Pick<AzureConfig, 'scopes'>,
  env: Environment,
): SubscriptionScopes {
  const configured = scopes.map((config) => ({
    ...scope(config.name),
    config,
    subscriptionId: config.subscriptionId,
  }));
  const ownSubscription = env['AZURE_SUBSCRIPTION_ID'] || undefined;
  const forNew = ownSubscription === undefined ? unroutableScope : ownScope(ownSubscription);

  function includes(
    { key, config }: Omit<SubscriptionScope, 'subscriptionId'>,
    { subscriptionId, resourceGroup }: MachineResource,
  ): boolean {
    if (config === undefined) return key === ownScope(subscriptionId).key;
    const groups = config.resourceGroups?.map((group) => group.toLowerCase());
    return config.subscriptionId.toLowerCase() === subscriptionId && (groups?.includes(resourceGroup) ?? true);
  }

  function scopesOfMachine(machine: MachineResource): readonly Scope[] {
    if (configured.length === 0) return [ownScope(machine.subscriptionId)];
    const found = configured.filter((each) => includes(each, machine)).map(publicScope);
    return found.length > 0 ? found : [unroutableScope];
  }

  return {
    includes,
    scopesOf: ({ providerId, labels }) => {
      if (labels[managedLabel] === 'false') return undefined;
      if (providerId === undefined || providerId === '') {
        return configured.length > 0 ? configured.map(publicScope) : [forNew];
      }
      const parsed = parseProviderId(providerId);
      if (parsed.is === 'foreign') return undefined;
      return parsed.is === 'unreadable' ? [unroutableScope] : scopesOfMachine(parsed.resource);
    },
    find: ({ key }) => {
      if (key === unroutableScope.key) return undefined;
      if (configured.length > 0) return configured.find((each) => each.key === key);
      const subscriptionId = key === forNew.key ? ownSubscription : undefined;
      return ownKey.test(key) ? { cloud: 'azure', key, config: undefined, subscriptionId } : undefined;
    },
  };
}

const ownKey = /^azure\/[0-9a-f]{12}$/;
const digestCharacters = 12;

/** The key must not show the subscription. */
function ownScope(subscriptionId: string): Scope {
  return scope(createHash('sha256').update(subscriptionId.toLowerCase()).digest('hex').slice(0, digestCharacters));
}

function scope(name: string): Scope {
  return { cloud: 'azure', key: `azure/${name}` };
}

/** What programs see. */
function publicScope({ cloud, key }: Scope): Scope {
  return { cloud, key };
}
