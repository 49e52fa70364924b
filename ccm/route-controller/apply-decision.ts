import type { Route } from '../../clouds/index.ts';
import type { Failure } from '../../lib/failure.ts';
import { changeRoutes } from './change-routes.ts';
import type { RouteDecision } from './decide.ts';
import type { WantedRoute } from './routed-node.ts';
import { logCreated, logRemovalFailure, logRemoved, routeText } from './route-log.ts';
import type { RouteState, RouteTable } from './state.ts';

/** A decision, and the revision of the Nodes that it was made from. */
export interface DecidedRoutes {
  readonly decision: RouteDecision;
  readonly revision: number;
}

/**
 * So many are changed in one run. Then the table is listed again: others may change it too. They fit into the 30 s of a
 * call with two requests of a second for each, as on EC2.
 */
const changesMax = 10;

/** Removes, then creates. The result has the routes that were created. */
export async function applyDecision(
  decided: DecidedRoutes,
  table: RouteTable,
  state: RouteState,
  signal: AbortSignal,
): Promise<ReadonlySet<WantedRoute>> {
  forgetRetries(table, decided.decision);
  await removeRoutes(decided, table, state, signal);
  const created = await createRoutes(decided, table, state, signal);
  for (const { atMs } of table.retries.values()) table.dueAtMs = Math.min(table.dueAtMs, atMs);
  return created;
}

/** Each one only for the Nodes that were decided on: after a change of them the rest waits for the next decision. */
async function removeRoutes(
  { decision, revision }: DecidedRoutes,
  table: RouteTable,
  state: RouteState,
  signal: AbortSignal,
): Promise<void> {
  const { log, metrics } = state.dependencies;
  const stands = (): boolean => state.revision === revision;
  const routes = takeDue(decision.remove, removalKeyOf, table, state);
  for (const route of routes) {
    const results = await changeRoutes(table, { create: [], remove: [route], stands }, state, signal);
    for (const { failure } of results) {
      metrics.countRouteChange('remove', failure === undefined ? 'success' : 'error');
      recordRetry(removalKeyOf(route), failure, table, state);
      if (failure === undefined) logRemoved(table, route, log);
      else logRemovalFailure(table, route, failure, log);
    }
    // The next one would fail too, after its time-out, and new Nodes wait for their routes.
    if (results.some(({ failure }) => failure?.kind === 'unavailable' || failure?.kind === 'throttled')) return;
  }
}

/** Those that replace no route first: they do not depend on what becomes of other Nodes. */
async function createRoutes(
  { decision, revision }: DecidedRoutes,
  table: RouteTable,
  state: RouteState,
  signal: AbortSignal,
): Promise<ReadonlySet<WantedRoute>> {
  const stands = ({ wanted, replaces }: Creation): boolean =>
    isStillWanted(wanted, table, state) && (replaces.length === 0 || state.revision === revision);
  const due = takeDue(creationsOf(decision), ({ wanted }) => creationKeyOf(wanted), table, state);
  const parts = [
    due.filter(({ replaces }) => replaces.length === 0),
    due.filter(({ replaces }) => replaces.length > 0),
  ];
  const created: WantedRoute[] = [];
  for (const part of parts) created.push(...(await createTogether(part.filter(stands), stands, table, state, signal)));
  return new Set(created);
}

async function createTogether(
  creations: readonly Creation[],
  stands: (creation: Creation) => boolean,
  table: RouteTable,
  state: RouteState,
  signal: AbortSignal,
): Promise<readonly WantedRoute[]> {
  if (creations.length === 0) return [];
  const { log, metrics } = state.dependencies;
  const created: WantedRoute[] = [];
  const remove = creations.flatMap(({ replaces }) => replaces);
  const change = { create: creations.map(routeOf), remove, stands: () => creations.every(stands) };
  const results = await changeRoutes(table, change, state, signal);
  const byRoute = new Map(results.map((result) => [routeText(result.route), result]));
  for (const creation of creations) {
    const result = byRoute.get(routeText(routeOf(creation)));
    if (result === undefined) continue;
    const { failure } = result;
    const { wanted } = creation;
    metrics.countRouteChange('create', failure === undefined ? 'success' : 'error');
    recordRetry(creationKeyOf(wanted), failure, table, state);
    if (failure !== undefined) continue;
    created.push(wanted);
    logCreated(table, wanted, log);
  }
  return created;
}

interface Creation {
  readonly wanted: WantedRoute;
  readonly replaces: readonly Route[];
}

function creationsOf({ verdicts }: RouteDecision): readonly Creation[] {
  return [...verdicts].flatMap(([wanted, verdict]) =>
    verdict.is === 'missing' ? [{ wanted, replaces: verdict.replaces }] : [],
  );
}

function routeOf({ wanted: { podCidr, nextHop } }: Creation): Route {
  return { podCidr: podCidr.text, nextHop, owner: 'this-cluster', blackhole: false };
}

/** Nodes can go while other routes are changed. */
function isStillWanted({ uid, podCidr, nextHop }: WantedRoute, { scope }: RouteTable, { nodes }: RouteState): boolean {
  const routes = nodes.get(uid)?.routes ?? [];
  return routes.some(
    (route) => route.table.key === scope.key && route.podCidr.text === podCidr.text && route.nextHop === nextHop,
  );
}

export function creationKeyOf({ uid, podCidr, nextHop }: WantedRoute): string {
  return `create ${podCidr.text} ${nextHop} ${uid}`;
}

function removalKeyOf({ podCidr, nextHop }: Route): string {
  return `remove ${podCidr} ${nextHop}`;
}

/** Those that do not wait after a failure, so that they are not hidden by those that fail. The rest is for the next run. */
function takeDue<T>(all: readonly T[], keyOf: (each: T) => string, table: RouteTable, state: RouteState): readonly T[] {
  const { clock, settings } = state.dependencies;
  if (settings.dryRun) return [];
  const nowMs = clock.monotonicMs();
  const due = all.filter((each) => (table.retries.get(keyOf(each))?.atMs ?? 0) <= nowMs);
  if (due.length > changesMax) table.dueAtMs = nowMs;
  return due.slice(0, changesMax);
}

const firstRetryMs = 5_000;
const maxRetryMs = 5 * 60_000;

function recordRetry(key: string, failure: Failure | undefined, { retries }: RouteTable, state: RouteState): void {
  const { clock, random } = state.dependencies;
  const { failures = 0 } = retries.get(key) ?? {};
  retries.delete(key);
  if (failure === undefined) return;
  const waitMs = Math.min(firstRetryMs * 2 ** Math.min(failures, 10), maxRetryMs) * (0.5 + random() / 2);
  retries.set(key, { failures: failures + 1, atMs: clock.monotonicMs() + waitMs, failure });
}

/** Of routes that are not to be changed any more. */
function forgetRetries({ retries }: RouteTable, decision: RouteDecision): void {
  const creations = creationsOf(decision).map(({ wanted }) => creationKeyOf(wanted));
  const keys = new Set([...creations, ...decision.remove.map(removalKeyOf)]);
  for (const key of retries.keys()) if (!keys.has(key)) retries.delete(key);
}
