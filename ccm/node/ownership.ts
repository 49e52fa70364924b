import type { Instances, NodeFacts, Scope } from '../../clouds/index.ts';
import { keys } from '../../schemas/keys.ts';

/** A cloud that this controller was started for. */
export interface EnabledCloud {
  readonly name: string;
  readonly instances: Instances;
}

/** Where a node's instance has to be asked for. */
export interface Claim {
  readonly cloud: EnabledCloud;
  readonly scope: Scope;
}

export type Ownership =
  | { readonly kind: 'ours'; readonly claims: readonly Claim[] }
  /** Another controller's, or nobody's: never looked up, written or deleted. */
  | { readonly kind: 'foreign' | 'unmanaged'; readonly why: string };

/** The providerID decides; a label can take a node out of our hands, or give one without a providerID to one cloud. */
export function ownershipOf(facts: NodeFacts, clouds: readonly EnabledCloud[]): Ownership {
  const label = facts.labels[keys.ownership];
  if (label === 'false') return { kind: 'unmanaged', why: `label ${keys.ownership} is false` };
  const candidates = label === undefined ? clouds : clouds.filter(({ name }) => name === label);
  const claims = facts.providerId === undefined ? allClaims(facts, candidates) : firstClaims(facts, candidates);
  if (claims.length > 0) return { kind: 'ours', claims };
  return { kind: 'foreign', why: whyForeign(facts, label, clouds) };
}

function allClaims(facts: NodeFacts, clouds: readonly EnabledCloud[]): readonly Claim[] {
  return clouds.flatMap((cloud) => claimsOf(facts, cloud));
}

/** A providerID is one cloud's. */
function firstClaims(facts: NodeFacts, clouds: readonly EnabledCloud[]): readonly Claim[] {
  return clouds.map((cloud) => claimsOf(facts, cloud)).find((claims) => claims.length > 0) ?? [];
}

function claimsOf(facts: NodeFacts, cloud: EnabledCloud): readonly Claim[] {
  return (cloud.instances.route(facts) ?? []).map((scope) => ({ cloud, scope }));
}

function whyForeign(facts: NodeFacts, label: string | undefined, clouds: readonly EnabledCloud[]): string {
  const enabled = clouds.map(({ name }) => name).join(', ');
  if (label !== undefined && !clouds.some(({ name }) => name === label)) {
    return `label ${keys.ownership} gives it to ${label}, and the clouds here are ${enabled}`;
  }
  if (facts.providerId === undefined) return `it has no providerID, and none of ${enabled} looks nodes up by name`;
  return `providerID ${facts.providerId} belongs to none of ${enabled}`;
}
