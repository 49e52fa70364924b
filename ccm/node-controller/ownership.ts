import type { Instances, NodeFacts, Routes, Scope } from '../../clouds/index.ts';
import { keys } from '../../schemas/keys.ts';

/** A cloud that this controller was started for. */
export interface EnabledCloud {
  readonly name: string;
  readonly instances: Instances;
  readonly routes?: Routes;
}

/** Where a node is looked up. */
export interface CloudScope {
  readonly cloud: EnabledCloud;
  readonly scope: Scope;
}

export type Ownership =
  | { readonly kind: 'ours'; readonly cloudScopes: readonly CloudScope[] }
  /** Belongs to another controller or to none: never looked up, written or deleted. */
  | { readonly kind: 'foreign' | 'unmanaged'; readonly reason: string };

/** The providerID decides. A label can exclude a Node, or assign one without a providerID to a cloud. */
export function ownershipOf(facts: NodeFacts, clouds: readonly EnabledCloud[]): Ownership {
  const label = facts.labels[keys.ownership];
  if (label === 'false') return { kind: 'unmanaged', reason: `label ${keys.ownership} is false` };
  const candidates = label === undefined ? clouds : clouds.filter(({ name }) => name === label);
  const cloudScopes =
    facts.providerId === undefined ? allCloudScopes(facts, candidates) : firstCloudScopes(facts, candidates);
  if (cloudScopes.length > 0) return { kind: 'ours', cloudScopes };
  return { kind: 'foreign', reason: foreignReason(facts, label, clouds) };
}

function allCloudScopes(facts: NodeFacts, clouds: readonly EnabledCloud[]): readonly CloudScope[] {
  return clouds.flatMap((cloud) => cloudScopesOf(facts, cloud));
}

/** A providerID belongs to one cloud. */
function firstCloudScopes(facts: NodeFacts, clouds: readonly EnabledCloud[]): readonly CloudScope[] {
  return clouds.map((cloud) => cloudScopesOf(facts, cloud)).find((cloudScopes) => cloudScopes.length > 0) ?? [];
}

function cloudScopesOf(facts: NodeFacts, cloud: EnabledCloud): readonly CloudScope[] {
  return (cloud.instances.scopesOf(facts) ?? []).map((scope) => ({ cloud, scope }));
}

function foreignReason(facts: NodeFacts, label: string | undefined, clouds: readonly EnabledCloud[]): string {
  const enabled = clouds.map(({ name }) => name).join(', ');
  if (label !== undefined && !clouds.some(({ name }) => name === label)) {
    return `label ${keys.ownership} gives it to ${label}, and the clouds here are ${enabled}`;
  }
  if (facts.providerId === undefined) return `it has no providerID, and none of ${enabled} looks nodes up by name`;
  return `providerID ${facts.providerId} belongs to none of ${enabled}`;
}
