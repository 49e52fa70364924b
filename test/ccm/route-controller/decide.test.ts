import t from 'tap';
import { parseCidr } from '../../../ccm/route-controller/cidr.ts';
import type { Cidr } from '../../../ccm/route-controller/cidr.ts';
import { decideRoutes } from '../../../ccm/route-controller/decide.ts';
import type { WantedRoute } from '../../../ccm/route-controller/routed-node.ts';
import type { Route } from '../../../clouds/cloud.ts';

function cidr(text: string): Cidr {
  const parsed = parseCidr(text);
  if (parsed === undefined) throw new Error(`${text} is no CIDR`);
  return parsed;
}

/** `a 10.1.0.0/24 hop-a`, the older Node first. */
function wantedFrom(text: string, index: number): WantedRoute {
  const [node = '', podCidr = '', nextHop = ''] = text.split(' ');
  return { uid: `uid of ${node}`, node, createdAt: `2026-11-19T00:00:0${index}Z`, podCidr: cidr(podCidr), nextHop };
}

/** `10.1.0.0/24 hop-a unmarked`, `10.1.0.0/24 - this-cluster blackhole`. */
function routeFrom(text: string): Route {
  const [podCidr = '', nextHop = '', owner = '', ...marks] = text.split(' ');
  return {
    podCidr,
    nextHop: nextHop === '-' ? '' : nextHop,
    owner: owner as Route['owner'],
    blackhole: marks.includes('blackhole'),
    ...(marks.includes('incomplete') && { incomplete: true }),
  };
}

interface Case {
  readonly wanted?: readonly string[];
  /** Pod CIDRs of Nodes for which the table is not kept. */
  readonly others?: readonly string[];
  readonly present?: readonly string[];
  /** `10.1.0.0/24 hop-a`. */
  readonly former?: readonly string[];
  readonly states?: readonly string[];
  readonly remove?: readonly string[];
  readonly left?: readonly string[];
}

const routeA = '10.1.0.0/24 hop-a';
const routeB = '10.1.1.0/24 hop-b';

const cases: Readonly<Record<string, Case>> = {
  'a missing route is created': { wanted: [`a ${routeA}`], states: ['a missing'] },
  'a route that is there is kept, whoever made it': {
    wanted: [`a ${routeA}`, `b ${routeB}`],
    present: [`${routeA} unmarked`, `${routeB} other`],
    states: ['a present', 'b present'],
  },
  'an incomplete route is created again, and nothing is removed for that': {
    wanted: [`a ${routeA}`, `b ${routeB}`],
    present: [`${routeA} unmarked incomplete`, `${routeB} this-cluster incomplete`],
    former: [routeA],
    states: ['a missing', 'b missing'],
  },
  'an incomplete route that no Node needs is removed as any other': {
    present: [`${routeA} unmarked incomplete`, `${routeB} unmarked incomplete`],
    former: [routeA],
    remove: [`${routeA} unmarked incomplete`],
    left: [`${routeB} unmarked incomplete`],
  },
  'an incomplete route outside --cluster-cidr is left as it is': {
    wanted: ['a 10.2.0.0/24 hop-a'],
    present: ['10.2.0.0/24 hop-a unmarked incomplete'],
    states: ['a present'],
  },
  'both families of a Node': {
    wanted: [`a ${routeA}`, 'a fd00:1::/64 hop-a'],
    present: [`${routeA} unmarked`],
    states: ['a present', 'a missing'],
  },
  'an IPv6 range in another form is the same': {
    wanted: ['a fd00:1::/64 hop-a'],
    present: ['FD00:0001:0:0::/64 hop-a unmarked'],
    states: ['a present'],
  },
  'a route of ours that no Node needs is removed': {
    present: [`${routeA} this-cluster`],
    remove: [`${routeA} this-cluster`],
  },
  'a route of somebody else is never removed': {
    present: [`${routeA} other`, `${routeB} other blackhole`],
    former: [routeA, routeB],
  },
  'an unmarked route is left alone': { present: [`${routeA} unmarked`], left: [`${routeA} unmarked`] },
  'an unmarked route of a former Node is removed': {
    present: [`${routeA} unmarked`],
    former: [routeA],
    remove: [`${routeA} unmarked`],
  },
  'an unmarked route with another next hop than that of the former Node is left alone': {
    present: ['10.1.0.0/24 hop-x unmarked'],
    former: [routeA],
    left: ['10.1.0.0/24 hop-x unmarked'],
  },
  'an unmarked route of another range with the next hop of a former Node is left alone': {
    present: ['10.1.7.0/24 hop-a unmarked'],
    former: [routeA],
    left: ['10.1.7.0/24 hop-a unmarked'],
  },
  'an unmarked blackhole with the range of a former Node is removed, since its target is unknown': {
    present: ['10.1.0.0/24 - unmarked blackhole'],
    former: [routeA],
    remove: ['10.1.0.0/24 - unmarked blackhole'],
  },
  'an unmarked blackhole is left alone': {
    present: ['10.1.0.0/24 - unmarked blackhole'],
    left: ['10.1.0.0/24 - unmarked blackhole'],
  },
  'outside --cluster-cidr nothing is removed': {
    present: ['10.2.0.0/24 hop-a this-cluster', '10.0.0.0/8 hop-a this-cluster', '0.0.0.0/0 hop-a unmarked'],
    former: ['10.2.0.0/24 hop-a', '10.0.0.0/8 hop-a', '0.0.0.0/0 hop-a'],
  },
  'outside --cluster-cidr nothing is created, since a kubelet can register its Node with any range': {
    wanted: ['a 10.2.0.0/24 hop-a', 'b 0.0.0.0/0 hop-b'],
    states: ['a blocked', 'b blocked'],
  },
  'a route outside --cluster-cidr that is there is kept': {
    wanted: ['a 10.2.0.0/24 hop-a'],
    present: ['10.2.0.0/24 hop-a unmarked'],
    states: ['a present'],
  },
  'a route of ours that leads elsewhere is replaced': {
    wanted: [`a ${routeA}`],
    present: ['10.1.0.0/24 hop-x this-cluster'],
    states: ['a missing for 10.1.0.0/24 hop-x'],
  },
  'a blackhole of ours is replaced': {
    wanted: [`a ${routeA}`],
    present: ['10.1.0.0/24 - this-cluster blackhole'],
    states: ['a missing for 10.1.0.0/24 '],
  },
  'a blackhole to the very instance is kept: it is stopped, and works again when it runs': {
    wanted: [`a ${routeA}`],
    present: [`${routeA} this-cluster blackhole`],
    states: ['a present'],
  },
  'an unmarked route for the range of a Node stops its route': {
    wanted: [`a ${routeA}`],
    present: ['10.1.0.0/24 hop-x unmarked'],
    states: ['a blocked'],
    left: ['10.1.0.0/24 hop-x unmarked'],
  },
  'an unmarked route to the former Node is replaced by that to the new one': {
    wanted: [`a ${routeA}`],
    present: ['10.1.0.0/24 hop-x unmarked'],
    former: ['10.1.0.0/24 hop-x'],
    states: ['a missing for 10.1.0.0/24 hop-x'],
  },
  'a route of somebody else for the range of a Node stops its route': {
    wanted: [`a ${routeA}`],
    present: ['10.1.0.0/24 hop-x other'],
    states: ['a blocked'],
  },
  'a second route to a former next hop is removed, and the right one stays': {
    wanted: [`a ${routeA}`],
    present: [`${routeA} unmarked`, '10.1.0.0/24 hop-x unmarked'],
    former: ['10.1.0.0/24 hop-x'],
    states: ['a present'],
    remove: ['10.1.0.0/24 hop-x unmarked'],
  },
  'a second route of a range is left alone if nothing is known of it': {
    wanted: [`a ${routeA}`],
    present: [`${routeA} unmarked`, '10.1.0.0/24 hop-x unmarked'],
    states: ['a present'],
    left: ['10.1.0.0/24 hop-x unmarked'],
  },
  'what overlaps with the range of a Node of another controller is not touched': {
    others: ['10.1.0.0/24'],
    present: ['10.1.0.0/24 hop-a this-cluster', '10.1.0.128/25 hop-b this-cluster', '10.1.0.0/20 hop-c unmarked'],
    former: [routeA, '10.1.0.0/20 hop-c'],
  },
  'a former route that a Node needs again is kept': {
    wanted: [`a ${routeA}`],
    present: [`${routeA} unmarked`],
    former: [routeA],
    states: ['a present'],
  },
  'of two Nodes with one range the older one gets the route': {
    wanted: [`a ${routeA}`, 'b 10.1.0.0/24 hop-b'],
    states: ['a missing', 'b blocked'],
  },
  'of two Nodes with one range the one with the route keeps it': {
    wanted: [`a ${routeA}`, 'b 10.1.0.0/24 hop-b'],
    present: ['10.1.0.0/24 hop-b this-cluster'],
    states: ['a blocked', 'b present'],
  },
  'of two Nodes with overlapping ranges only one gets its route': {
    wanted: ['a 10.1.0.0/23 hop-a', 'b 10.1.1.0/24 hop-b', 'c 10.1.2.0/24 hop-c'],
    present: ['10.1.1.0/24 hop-b unmarked'],
    states: ['a blocked', 'b present', 'c missing'],
  },
  'a Node that claims the whole range takes no route from the others': {
    wanted: [`a ${routeA}`, `b ${routeB}`, 'rogue 10.1.0.0/16 hop-r'],
    present: [`${routeA} unmarked`],
    states: ['a present', 'b missing', 'rogue blocked'],
  },
  'the ranges of one Node may overlap': {
    wanted: ['a 10.1.0.0/24 hop-a', 'a 10.1.0.0/25 hop-a'],
    states: ['a missing', 'a missing'],
  },
  'a route whose range cannot be read is left alone': {
    present: ['pl-0123 hop-a this-cluster'],
    former: ['pl-0123 hop-a'],
  },
};

for (const [name, given] of Object.entries(cases)) {
  await t.test(name, (t) => {
    const { wanted = [], others = [], present = [], former = [], states = [], remove = [], left = [] } = given;
    const decision = decideRoutes({
      clusterCidrs: [cidr('10.1.0.0/16'), cidr('fd00::/16')],
      wanted: wanted.map(wantedFrom),
      otherCidrs: others.map(cidr),
      present: present.map(routeFrom),
      isFormer: (podCidr, nextHop = '') => former.some((each) => each.startsWith(`${podCidr} ${nextHop}`)),
    });
    const stateTexts = [...decision.verdicts].map(([{ node }, state]) => {
      const replaces = state.is === 'missing' ? state.replaces : [];
      return [`${node} ${state.is}`, ...replaces.map((route) => `${route.podCidr} ${route.nextHop}`)].join(' for ');
    });
    t.strictSame(stateTexts, states);
    t.strictSame(decision.remove, remove.map(routeFrom));
    t.strictSame(decision.left, left.map(routeFrom));
    t.end();
  });
}

await t.test('a state names what stops the route', (t) => {
  const view = { clusterCidrs: [cidr('10.1.0.0/16')], otherCidrs: [], isFormer: () => false };
  const wanted = [`a ${routeA}`, 'b 10.1.0.0/25 hop-b', 'c 10.9.0.0/24 hop-c'].map(wantedFrom);
  const { verdicts } = decideRoutes({ ...view, wanted, present: [routeFrom('10.1.0.0/24 - other')] });
  t.match(
    [...verdicts.values()],
    [
      {
        reason:
          'the route 10.1.0.0/24 via an unknown target is in the table already, and it is not known to be of a former Node',
      },
      { reason: 'Node a has the pod CIDR 10.1.0.0/24, which overlaps with 10.1.0.0/25' },
      { reason: 'the pod CIDR 10.9.0.0/24 is not inside --cluster-cidr' },
    ],
  );
  t.end();
});
