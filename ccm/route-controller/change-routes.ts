import type { Route, RouteResult } from '../../clouds/index.ts';
import { untilAborted } from '../../lib/kubernetes/until-aborted.ts';
import { LeadershipLost } from '../node-controller/cluster.ts';
import { asFailure, callContext } from './call-context.ts';
import type { RouteState, RouteTable } from './state.ts';

export interface PlannedChange {
  readonly create: readonly Route[];
  readonly remove: readonly Route[];
  /** Asked right before each request. */
  stands(): boolean;
}

/** The Nodes have changed since the decision. What was done before that is in the next list. */
class DecisionOutdated extends Error {
  override readonly name = 'DecisionOutdated';
}

/** A call that fails as a whole is a failure of each of its routes. No results: the change does not stand any more. */
export async function changeRoutes(
  table: RouteTable,
  { create, remove, stands }: PlannedChange,
  state: RouteState,
  signal: AbortSignal,
): Promise<readonly RouteResult[]> {
  const { clock, mayWrite } = state.dependencies;
  try {
    const context = await callContext(table, state, signal);
    if (!stands()) return [];
    const beforeCall = async (): Promise<void> => {
      await context.beforeCall();
      if (!mayWrite()) throw new LeadershipLost('another may be leading');
      if (!stands()) throw new DecisionOutdated('the Nodes have changed');
    };
    const applied = table.cloud.routes.apply(table.scope, { create, remove }, { ...context, beforeCall });
    const results = await untilAborted(applied, context.signal);
    const throttled = results.find(({ failure }) => failure?.kind === 'throttled')?.failure;
    if (throttled === undefined) table.rateLimiter.succeeded();
    else table.rateLimiter.failed(throttled, clock.monotonicMs());
    return results;
  } catch (error) {
    if (error instanceof DecisionOutdated) return [];
    if (error instanceof LeadershipLost) throw error;
    if (signal.aborted) throw new LeadershipLost('leadership ended while routes were changed', { cause: error });
    const failure = asFailure(error, table);
    table.rateLimiter.failed(failure, clock.monotonicMs());
    return [...remove, ...create].map((route) => ({ route, failure }));
  }
}
