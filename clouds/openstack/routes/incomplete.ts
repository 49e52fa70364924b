import type { Route, RouteResult } from '../../cloud.ts';
import { lacksAddressPair, portsOfNextHops } from './address-pairs.ts';
import type { RouterAccess } from './apply.ts';

/** What the last look at the ports of a router's routes has shown. */
export interface PairCheck {
  readonly atMs: number;
  /** `POD-CIDR NEXT-HOP` of routes whose port lacks the address pair. */
  readonly incomplete: ReadonlySet<string>;
}

/**
 * Some programs that manage servers set all pairs of a port, and a new server can have the address of an old one. As
 * with upstream's controller, such a pair is added again. Upstream looks at each port in each period; with a thousand
 * Nodes these are seven requests here.
 */
const periodMs = 5 * 60_000;

/** Of all tables, by their keys. */
interface PairChecks {
  readonly key: string;
  readonly checks: Map<string, PairCheck>;
}

export async function markIncomplete(
  routes: readonly Route[],
  { key, checks }: PairChecks,
  access: RouterAccess,
): Promise<readonly Route[]> {
  const check = await checkPairs(routes, checks.get(key), access);
  checks.set(key, check);
  return routes.map((route) => (check.incomplete.has(keyOf(route)) ? { ...route, incomplete: true } : route));
}

/** Created again, they are complete: the ports need no other look before the next check. */
export function forgetDone(results: readonly RouteResult[], { key, checks }: PairChecks): void {
  const check = checks.get(key);
  if (check === undefined) return;
  const done = results.filter(({ failure }) => failure === undefined).map(({ route }) => keyOf(route));
  checks.set(key, { ...check, incomplete: check.incomplete.difference(new Set(done)) });
}

/** The last check again, if it is recent. */
async function checkPairs(
  routes: readonly Route[],
  last: PairCheck | undefined,
  { routerId, session, context }: RouterAccess,
): Promise<PairCheck> {
  const nowMs = context.clock.monotonicMs();
  if (last !== undefined && nowMs < last.atMs + periodMs) return last;
  const nextHops = routes.map(({ nextHop }) => nextHop);
  if (nextHops.length === 0) return { atMs: nowMs, incomplete: new Set() };
  const ports = await portsOfNextHops({ routerId, nextHops }, session, context);
  const incomplete = routes.filter(({ podCidr, nextHop }) => {
    const port = ports.get(nextHop);
    return port !== undefined && lacksAddressPair(port, podCidr);
  });
  return { atMs: nowMs, incomplete: new Set(incomplete.map(keyOf)) };
}

function keyOf({ podCidr, nextHop }: Route): string {
  return `${podCidr} ${nextHop}`;
}
