import type { AzureSettings } from '../identity/resolve-identity.ts';
import type { RecentLists } from './current-lists.ts';
import { createIdTurns } from './id-turns.ts';
import type { IdTurns } from './id-turns.ts';
import { createKeptLists } from './kept-lists.ts';
import type { KeptLists } from './kept-lists.ts';
import { createListedDocuments } from './listed-documents.ts';
import type { ListedDocuments } from './listed-documents.ts';
import type { ListedNames } from './name-sources.ts';
import { createRecentAddresses } from './recent-addresses.ts';
import type { RecentAddresses } from './recent-addresses.ts';
import { openResourceManager } from './resource-manager.ts';
import type { ResourceManager } from './resource-manager.ts';
import type { SubscriptionScope } from './scopes.ts';

/** What is kept of a scope between look-ups. */
export interface ScopeState {
  readonly manager: ResourceManager;
  readonly lists: ListedDocuments;
  readonly names: KeptLists<ListedNames>;
  readonly turns: IdTurns;
  readonly recentAddresses: RecentAddresses;
  readonly recentLists: RecentLists;
  /** In lower case: those of our nodes' machines, configured or found. */
  readonly subscriptions: Set<string>;
}

/** Every few seconds. They leave half of a scope's rate limit to others. */
const turnsMax = 10;

/** A name can be another machine's after a while, and these are for Nodes that have no providerID yet. */
const nameAges = { keptMs: 3_000, resumedMs: 60_000 };

export function openScope(scope: SubscriptionScope, settings: AzureSettings): ScopeState {
  const manager = openResourceManager(scope, settings);
  return {
    manager,
    lists: createListedDocuments(manager),
    names: createKeptLists(manager, nameAges),
    turns: createIdTurns(turnsMax),
    recentAddresses: createRecentAddresses(),
    recentLists: new Map(),
    subscriptions: new Set(scope.config === undefined ? [] : [scope.config.subscriptionId.toLowerCase()]),
  };
}
