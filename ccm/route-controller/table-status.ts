import { failureFields } from '../../lib/log/failure-fields.ts';
import type { RouteController } from './controller.ts';

/** A route table, for people. */
export interface RouteTableStatus {
  readonly cloud: string;
  readonly table: string;
  /** That need routes in it. */
  readonly nodes: number;
  /** Those of them whose routes cannot be created. */
  readonly failed: number;
  /** Routes that no Node needs and that are not known to be of former Nodes. */
  readonly left: number;
  /** The last list failed. */
  readonly failure?: string;
}

const maxFailureCharacters = 300;

export function routeTableStatuses(routes: Pick<RouteController, 'tables'> | undefined): readonly RouteTableStatus[] {
  const tables = routes?.tables() ?? [];
  return tables.map(({ cloud, scope, states, left, failure }) => ({
    cloud: cloud.name,
    table: scope.key,
    nodes: states.size,
    failed: [...states.values()].filter(({ is }) => is === 'failed').length,
    left: left.length,
    ...(failure !== undefined && { failure: failureFields(failure).err.slice(0, maxFailureCharacters) }),
  }));
}
