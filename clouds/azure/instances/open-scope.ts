import type { AzureSettings } from '../identity/resolve-identity.ts';
import type { RecentLists } from './current-lists.ts';
import { createIdTurns } from './id-turns.ts';
import type { IdTurns } from './id-turns.ts';
import { createListedDocuments } from './listed-documents.ts';
import type { ListedDocuments } from './listed-documents.ts';
import { createRecentAddresses } from './recent-addresses.ts';
import type { RecentAddresses } from './recent-addresses.ts';
import { openResourceManager } from './resource-manager.ts';
import type { ResourceManager } from './resource-manager.ts';
import type { SubscriptionScope } from './scopes.ts';

/** What is kept of a scope between look-ups. */
export interface ScopeState {
  readonly manager: ResourceManager;
  readonly lists: ListedDocuments;
  readonly turns: IdTurns;
  readonly recentAddresses: RecentAddresses;
  readonly recentLists: RecentLists;
  /** In lower case: those of our nodes' machines, configured or found. */
  readonly subscriptions: Set<string>;
}

/** With the rate limit of a scope they take 4 s. */
const turnsMax = 20;

export function openScope(scope: SubscriptionScope, settings: AzureSettings): ScopeState {
  const manager = openResourceManager(scope, settings);
  return {
    manager,
    lists: createListedDocuments(manager),
    turns: createIdTurns(turnsMax),
    recentAddresses: createRecentAddresses(),
    recentLists: new Map(),
    subscriptions: new Set(scope.config === undefined ? [] : [scope.config.subscriptionId.toLowerCase()]),
  };
}
