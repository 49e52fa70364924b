import type { Route } from '../../clouds/index.ts';
import type { Failure } from '../../lib/failure.ts';
import { failureFields } from '../../lib/log/failure-fields.ts';
import type { Log } from '../../lib/log/log.ts';
import type { RouteDecision } from './decide.ts';
import type { WantedRoute } from './routed-node.ts';
import type { RouteTable } from './state.ts';

interface TableFields {
  readonly cloud: string;
  readonly scope: string;
}

function tableFields({ cloud, scope }: RouteTable): TableFields {
  return { cloud: cloud.name, scope: scope.key };
}

export function routeText({ podCidr, nextHop }: Pick<Route, 'podCidr' | 'nextHop'>): string {
  return `${podCidr} via ${nextHop || 'an unknown target'}`;
}

function wantedText({ podCidr, nextHop }: WantedRoute): string {
  return routeText({ podCidr: podCidr.text, nextHop });
}

export function logCreated(table: RouteTable, wanted: WantedRoute, log: Log): void {
  log.standard('routeCreated', { ...tableFields(table), node: wanted.node, route: wantedText(wanted) });
}

export function logRemoved(table: RouteTable, route: Route, log: Log): void {
  log.standard('routeRemoved', { ...tableFields(table), route: routeText(route) });
}

export function logRemovalFailure(table: RouteTable, route: Route, failure: Failure, log: Log): void {
  log.standard('routeKept', { ...tableFields(table), route: routeText(route), ...failureFields(failure) });
}

const maxListed = 20;

/** Once, until others are left. */
export function logLeft(table: RouteTable, log: Log): void {
  const routes = table.left.map(routeText).toSorted();
  const text = routes.join('\n');
  if (text === table.loggedLeft) return;
  table.loggedLeft = text;
  if (routes.length === 0) return;
  const hint = 'if they are of Nodes that are gone, remove them in the cloud';
  log.standard('routesLeft', { ...tableFields(table), routes: routes.slice(0, maxListed), hint });
}

/** In a dry run: once, until the plan changes. */
export function logPlan(table: RouteTable, { verdicts, remove }: RouteDecision, log: Log): void {
  const changes = [
    ...remove.map((route) => `remove ${routeText(route)}`),
    ...[...verdicts].flatMap(([wanted, verdict]) =>
      verdict.is === 'missing' ? [`create ${wantedText(wanted)} for ${wanted.node}`] : [],
    ),
  ];
  const text = changes.join('\n');
  if (text === table.loggedPlan) return;
  table.loggedPlan = text;
  if (changes.length === 0) return;
  log.standard('routesPlanned', { ...tableFields(table), changes: changes.slice(0, maxListed) });
}
