import type { NodeFacts, Scope } from '../../cloud.ts';
import type { AwsConfig } from '../../../schemas/config/aws.ts';
import type { InstanceScope, ScopeIndex } from '../instances/scopes.ts';

/** A table that is found by the tag of the cluster. */
const byTag = 'routes';

/** The tables in the account and region of a node. Pure. */
export function tablesOf(
  { providerId, ...facts }: NodeFacts,
  { routeTables, clusterName }: AwsConfig,
  scopes: ScopeIndex,
): readonly Scope[] {
  // Without a providerID it could be anywhere.
  if (providerId === undefined) return [];
  const found = (scopes.scopesOf({ ...facts, providerId }) ?? []).flatMap((scope) => scopes.find(scope) ?? []);
  return found.flatMap(({ key, region: ownRegion }) => {
    const there = routeTables.filter(({ region = ownRegion }) => region === ownRegion).map(({ id }) => id);
    const names = routeTables.length === 0 && clusterName !== undefined ? [byTag] : there;
    return names.map((name) => ({ cloud: 'aws', key: `${key}/${name}` }));
  });
}

export interface TableScope {
  /** The account and region. */
  readonly of: InstanceScope;
  /** Absent: the only table with the tag of the cluster. */
  readonly tableId: string | undefined;
}

/** `undefined`: it is none of `tablesOf`. */
export function findTable({ cloud, key }: Scope, scopes: ScopeIndex): TableScope | undefined {
  const end = key.lastIndexOf('/');
  const of = scopes.find({ cloud, key: key.slice(0, end) });
  const name = key.slice(end + 1);
  return of && { of, tableId: name === byTag ? undefined : name };
}
