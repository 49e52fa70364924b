import { overlaps } from './cidr.ts';
import type { WantedRoute } from './routed-node.ts';

/**
 * Nodes whose pod CIDRs overlap cannot all have their routes. The one that has its route keeps it, else the older Node
 * gets it. The result has the others, each with the Node that goes before it. Pure.
 */
export function chooseClaims(
  wanted: readonly WantedRoute[],
  isPresent: (wanted: WantedRoute) => boolean,
): ReadonlyMap<WantedRoute, WantedRoute> {
  const rivals = new Map<WantedRoute, WantedRoute>();
  for (const group of overlappingGroups(wanted)) {
    const accepted: WantedRoute[] = [];
    const rank = (each: WantedRoute): string => `${isPresent(each) ? 0 : 1} ${each.createdAt} ${each.node}`;
    for (const each of group.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1))) {
      const rival = accepted.find(({ uid, podCidr }) => uid !== each.uid && overlaps(podCidr, each.podCidr));
      if (rival === undefined) accepted.push(each);
      else rivals.set(each, rival);
    }
  }
  return rivals;
}

/** Sorted by their first address, those that overlap are neighbours: five thousand Nodes are not compared in pairs. */
function overlappingGroups(wanted: readonly WantedRoute[]): readonly (readonly WantedRoute[])[] {
  const groups: WantedRoute[][] = [];
  let last = -1n;
  let family: string | undefined;
  for (const each of wanted.toSorted(byFirstAddress)) {
    const { podCidr } = each;
    const isNew = podCidr.family !== family || podCidr.first > last;
    if (isNew) groups.push([]);
    groups.at(-1)?.push(each);
    last = isNew || podCidr.last > last ? podCidr.last : last;
    ({ family } = podCidr);
  }
  return groups.filter(({ length }) => length > 1);
}

function byFirstAddress({ podCidr: one }: WantedRoute, { podCidr: other }: WantedRoute): number {
  if (one.family !== other.family) return one.family < other.family ? -1 : 1;
  if (one.first === other.first) return 0;
  return one.first < other.first ? -1 : 1;
}
