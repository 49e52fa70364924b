import type { Route } from '../../clouds/index.ts';
import { contains, overlaps, parseCidr } from './cidr.ts';
import type { Cidr } from './cidr.ts';
import { chooseClaims } from './claims.ts';
import type { WantedRoute } from './routed-node.ts';

/** What is known of one route table. */
export interface TableView {
  readonly clusterCidrs: readonly Cidr[];
  /** All routes of the table. */
  readonly present: readonly Route[];
  readonly wanted: readonly WantedRoute[];
  /** The pod CIDRs of all other Nodes: of other clouds or tables, excluded, or not ready for a route. */
  readonly otherCidrs: readonly Cidr[];
  /** Was this a route to a Node that has another one now, or that this process has seen being deleted? */
  isFormer(podCidr: string, nextHop?: string): boolean;
}

export type RouteVerdict =
  | { readonly is: 'present' }
  /** `replaces`: they are removed first. */
  | { readonly is: 'missing'; readonly replaces: readonly Route[] }
  | { readonly is: 'blocked'; readonly reason: string };

export interface RouteDecision {
  readonly verdicts: ReadonlyMap<WantedRoute, RouteVerdict>;
  /** Without those that are replaced. */
  readonly remove: readonly Route[];
  /** They look like routes to Nodes that are gone, but nothing proves it. */
  readonly left: readonly Route[];
}

/**
 * What becomes of the routes of a table. Pure. No route is removed that a Node needs, that is `other`, that is not
 * inside --cluster-cidr, or that touches the pod CIDR of a Node for which this table is not kept. An unmarked route is
 * removed only if it is known to have been a Node's.
 */
export function decideRoutes(view: TableView): RouteDecision {
  const present = view.present.flatMap((route) => {
    const cidr = parseCidr(route.podCidr);
    return cidr === undefined ? [] : [{ route, cidr }];
  });
  const routesByCidr = Map.groupBy(present, ({ cidr }) => cidr.text);
  const isPresent = ({ podCidr, nextHop }: WantedRoute): boolean =>
    (routesByCidr.get(podCidr.text) ?? []).some(({ route }) => route.nextHop === nextHop);
  const needed = new Set(view.wanted.map(({ podCidr, nextHop }) => keyOf(podCidr.text, nextHop)));
  const unneeded = present.filter(({ route, cidr }) => !needed.has(keyOf(cidr.text, route.nextHop)));
  const removable = new Set(unneeded.flatMap((each) => (mayRemove(each, view) ? [each.route] : [])));
  const rivals = chooseClaims(view.wanted, isPresent);
  const verdicts = new Map(
    view.wanted.map((wanted) => {
      const same = (routesByCidr.get(wanted.podCidr.text) ?? []).map(({ route }) => route);
      return [wanted, verdictOf(wanted, { same, rival: rivals.get(wanted), removable, view })] as const;
    }),
  );
  const replaced = new Set(
    [...verdicts.values()].flatMap((verdict) => (verdict.is === 'missing' ? verdict.replaces : [])),
  );
  return {
    verdicts,
    remove: [...removable].filter((route) => !replaced.has(route)),
    left: unneeded.flatMap((each) => (!removable.has(each.route) && looksLikeOurs(each, view) ? [each.route] : [])),
  };
}

interface PresentRoute {
  readonly route: Route;
  readonly cidr: Cidr;
}

function keyOf(podCidr: string, nextHop: string): string {
  return `${podCidr} ${nextHop}`;
}

function looksLikeOurs({ route, cidr }: PresentRoute, { clusterCidrs, otherCidrs }: TableView): boolean {
  return (
    route.owner !== 'other' &&
    clusterCidrs.some((cluster) => contains(cluster, cidr)) &&
    !otherCidrs.some((other) => overlaps(other, cidr))
  );
}

/** Of a route that no Node needs. */
function mayRemove(present: PresentRoute, view: TableView): boolean {
  const { route, cidr } = present;
  if (!looksLikeOurs(present, view)) return false;
  if (route.owner === 'this-cluster') return true;
  // The next hop of a blackhole may be unknown by now.
  return view.isFormer(cidr.text, route.nextHop) || (route.blackhole && view.isFormer(cidr.text));
}

interface RangeContext {
  /** The routes with this pod CIDR. */
  readonly same: readonly Route[];
  /** The Node that gets the route instead. */
  readonly rival: WantedRoute | undefined;
  readonly removable: ReadonlySet<Route>;
  readonly view: TableView;
}

function verdictOf(wanted: WantedRoute, { same, rival, removable, view }: RangeContext): RouteVerdict {
  const { podCidr, nextHop } = wanted;
  const claim = rival && `Node ${rival.node} has the pod CIDR ${rival.podCidr.text}`;
  if (claim !== undefined) return { is: 'blocked', reason: `${claim}, which overlaps with ${podCidr.text}` };
  const inCluster = view.clusterCidrs.some((cluster) => contains(cluster, podCidr));
  const own = same.find((route) => route.nextHop === nextHop);
  if (own !== undefined) return own.incomplete && inCluster ? { is: 'missing', replaces: [] } : { is: 'present' };
  if (!inCluster) return { is: 'blocked', reason: `the pod CIDR ${podCidr.text} is not inside --cluster-cidr` };
  const foreign = same.find((route) => !removable.has(route));
  if (foreign === undefined) return { is: 'missing', replaces: same };
  const via = `the route ${podCidr.text} via ${foreign.nextHop || 'an unknown target'}`;
  return { is: 'blocked', reason: `${via} is in the table already, and it is not known to be of a former Node` };
}
