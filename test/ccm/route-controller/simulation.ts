import type { Route } from '../../../clouds/cloud.ts';
import type { Node, NodeAddress } from '../../../schemas/kubernetes.ts';
import { isUninitialized } from '../../../lib/node/read-node.ts';
import { createRandom } from '../../support/random.ts';
import type { Random } from '../../support/random.ts';
import { conditionOf, nodeAt, startRouteHarness, tableKey, unmarked } from './harness.ts';
import type { RouteHarness } from './harness.ts';
import type { ToyFault, ToyOperation } from './toy-routes.ts';

export interface SimulationResult {
  readonly violations: readonly string[];
  readonly created: number;
  readonly removed: number;
  readonly restarts: number;
}

const steps = 150;
const slots = 8;
/** Of a table that somebody else keeps, inside --cluster-cidr and outside. */
const strangers = ['10.1.200.0/24 192.168.0.1 other', '10.9.0.0/16 192.168.0.2 unmarked', '0.0.0.0/0 igw other'];

/** Nodes come, go and change, the cloud fails, and the process restarts, all by chance. Then all of it stops. */
export async function simulateRoutes(label: string): Promise<SimulationResult> {
  const random = createRandom(label);
  const harness = startRouteHarness({}, random.next);
  const { clock, cloud } = harness;
  cloud.owner = random.pick(['unmarked', 'this-cluster']);
  const world: World = {
    random,
    harness,
    violations: [],
    everWanted: new Set(),
    isFaulty: true,
    restarts: 0,
    number: 0,
  };
  cloud.routesOf.set(
    tableKey,
    strangers.map((text) => {
      const [podCidr = '', nextHop = '', owner] = text.split(' ');
      return { ...unmarked(podCidr, nextHop), owner: owner as 'other' };
    }),
  );
  cloud.faultOf = (kind, _table, route) => {
    if (kind !== 'list' && route !== undefined) checkChange(kind, route, world);
    return world.isFaulty && random.chance(0.15) ? random.pick(faults) : undefined;
  };
  for (let step = 0; step < steps; step += 1) {
    await random.pickWeighted(actions)(world);
    await clock.advance(random.pick([0, 10, 100, 1_000, 5_000, 20_000]));
  }
  world.isFaulty = false;
  harness.mayWrite = true;
  // Longer than the longest pause after failures.
  await clock.advance(15 * 60_000);
  makeRouteIncomplete(world);
  await clock.advance(60_000);
  checkEnd(world);
  await harness.end();
  const countOf = (kind: ToyOperation['kind']): number => cloud.operations.filter((each) => each.kind === kind).length;
  const counts = { created: countOf('create'), removed: countOf('remove'), restarts: world.restarts };
  return { violations: world.violations, ...counts };
}

interface World {
  readonly random: Random;
  readonly harness: RouteHarness;
  readonly violations: string[];
  /** Routes that a Node of ours needed since the process started: `POD-CIDR NEXT-HOP`. */
  readonly everWanted: Set<string>;
  isFaulty: boolean;
  restarts: number;
  number: number;
}

const faults: readonly ToyFault[] = ['unavailable', 'throttled', 'denied', 'hanging', 'late', 'late'];

type Action = (world: World) => Promise<void> | void;

const actions: readonly (readonly [number, Action])[] = [
  [30, putNode],
  [20, deleteNode],
  [8, (world) => changeNode(world, (node) => ({ ...node, status: { ...node.status, addresses: addressesOf(world) } }))],
  [
    4,
    (world) =>
      changeNode(world, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { 'polycloud.dev/cloud': 'false' } },
      })),
  ],
  [4, (world) => changeNode(world, (node) => ({ ...node, metadata: { ...node.metadata, labels: {} } }))],
  [4, (world) => changeNode(world, (node) => ({ ...node, spec: { ...node.spec, taints: [] } }))],
  [6, removeRouteByHand],
  [4, makeRouteIncomplete],
  [4, toggleLeadership],
  [3, restart],
  [20, () => {}],
];

function nodesOf({ harness: { api } }: World): readonly Node[] {
  return Array.from({ length: slots }, (_, index) => api.node(`n${index + 1}`)).filter((node) => node !== undefined);
}

function addressesOf({ random }: World): readonly NodeAddress[] {
  return [{ type: 'InternalIP', address: `10.0.0.${random.between(1, slots + 4)}` }];
}

function putNode(world: World): void {
  const { random, harness } = world;
  const slot = random.between(1, slots);
  if (harness.api.node(`n${slot}`) !== undefined) return;
  world.number += 1;
  const range = random.chance(0.8) ? slot : random.between(1, slots);
  const podCidrs = random.pickWeighted<readonly string[]>([
    [12, [`10.1.${range}.0/24`]],
    [2, [`10.1.${range}.0/24`, `fd00:${range}::/64`]],
    [1, []],
    [1, [`10.1.${range & ~1}.0/23`]],
    [1, [`10.7.${range}.0/24`]],
  ]);
  const ips = [`10.0.0.${random.chance(0.8) ? slot : random.between(1, slots)}`, `fd99::${slot}`];
  const createdAt = new Date(harness.clock.wallMs()).toISOString();
  const isNew = random.chance(0.3);
  const providerId = random.chance(0.9) ? `toy://main/n${slot}` : `other://main/n${slot}`;
  put(nodeAt(slot, { uid: `uid ${world.number}`, podCidrs, ips, createdAt, isNew, providerId }), world);
}

function put(node: Node, world: World): void {
  for (const each of routesNeeded(node)) world.everWanted.add(each);
  world.harness.api.put(node);
}

function deleteNode(world: World): void {
  const nodes = nodesOf(world);
  if (nodes.length > 0) world.harness.api.delete(world.random.pick(nodes).metadata.name);
}

function changeNode(world: World, change: (node: Node) => Node): void {
  const nodes = nodesOf(world);
  if (nodes.length > 0) put(change(world.random.pick(nodes)), world);
}

function removeRouteByHand(world: World): void {
  changeRoute(world, () => []);
}

function makeRouteIncomplete(world: World): void {
  changeRoute(world, (route) => [{ ...route, incomplete: true }]);
}

function changeRoute({ random, harness: { cloud } }: World, change: (route: Route) => readonly Route[]): void {
  const routes = cloud.routesOf.get(tableKey) ?? [];
  const ours = routes.filter(({ podCidr }) => !strangers.some((text) => text.startsWith(podCidr)));
  if (ours.length === 0) return;
  const chosen = random.pick(ours);
  cloud.routesOf.set(
    tableKey,
    routes.flatMap((route) => (route === chosen ? change(route) : [route])),
  );
}

async function toggleLeadership({ random, harness }: World): Promise<void> {
  harness.mayWrite = random.chance(0.5);
  const leading = harness.leadAgain();
  await harness.clock.advance(100);
  await leading;
}

async function restart(world: World): Promise<void> {
  world.restarts += 1;
  const restarting = world.harness.restart();
  await world.harness.clock.advance(100);
  await restarting;
  world.everWanted.clear();
  for (const node of nodesOf(world)) for (const each of routesNeeded(node)) world.everWanted.add(each);
}

/** Of a Node of ours, by its own data. */
function routesNeeded({ metadata, spec, status }: Node): readonly string[] {
  const isOurs = spec.providerID?.startsWith('toy://') === true && metadata.labels?.['polycloud.dev/cloud'] !== 'false';
  if (!isOurs || isUninitialized({ metadata, spec, status })) return [];
  return (spec.podCIDRs ?? []).flatMap((podCidr) => {
    const isIpv6 = podCidr.includes(':');
    const address = status.addresses?.find((each) => each.address.includes(':') === isIpv6)?.address;
    return address === undefined ? [] : [`${podCidr} ${address}`];
  });
}

/** Checked when the request goes out. */
function checkChange(
  kind: 'create' | 'remove',
  route: { podCidr: string; nextHop: string; owner: string },
  world: World,
): void {
  const { harness, violations, everWanted } = world;
  const text = `${route.podCidr} ${route.nextHop}`;
  const needed = nodesOf(world).flatMap(routesNeeded);
  const report = (what: string): void =>
    void violations.push(`${harness.clock.monotonicMs()} ms: ${kind} ${text}: ${what}`);
  if (!harness.mayWrite) report('not leading');
  if (!/^10\.1\.|^fd00:/.test(route.podCidr)) report('outside --cluster-cidr');
  if (kind === 'create') {
    if (!needed.includes(text)) report('no Node needs it');
    return;
  }
  if (route.owner === 'other') report('of somebody else');
  if (needed.includes(text)) report('a Node needs it');
  if (route.owner === 'unmarked' && !everWanted.has(text)) report('nothing proves that it was of a Node');
  const others = nodesOf(world).filter((node) => routesNeeded(node).length === 0);
  if (others.some(({ spec }) => spec.podCIDRs?.includes(route.podCidr))) report('it is of a Node that is not ours');
}

function checkEnd(world: World): void {
  const { harness, violations } = world;
  const { cloud } = harness;
  const listed = harness.routes();
  for (const text of strangers) {
    const [podCidr = '', nextHop = ''] = text.split(' ');
    if (!listed.includes(`${podCidr} ${nextHop}`)) violations.push(`at the end: ${text} is gone`);
  }
  const nodes = nodesOf(world);
  for (const node of nodes) checkNode(node, listed, world);
  checkComplete(nodes, world);
  // After a restart a table is known when a Node names it.
  const isTableKnown = harness.controller.tables().length > 0;
  if (cloud.owner === 'this-cluster' && isTableKnown) checkLeftovers(listed, nodes, violations);
}

function checkNode(node: Node, listed: readonly string[], { harness, violations }: World): void {
  const needed = routesNeeded(node);
  if (needed.length === 0 || needed.length < (node.spec.podCIDRs ?? []).length) return;
  const { name, uid } = node.metadata;
  const { is = 'unknown', ...state } = harness.controller.stateOf(uid) ?? {};
  const reason = 'reason' in state ? state.reason : 'no reason';
  const seen = [is, conditionOf(harness.api.node(name)), needed.every((text) => listed.includes(text))].join(' ');
  const isExplained = /which overlaps|is not inside|is in the table already/.test(reason);
  if (seen === 'present False RouteCreated true') return;
  if (isExplained && seen.startsWith('failed True NoRouteCreated')) return;
  violations.push(`at the end: ${name}: ${seen}, ${needed.join(', ')}: ${reason}`);
}

function checkComplete(nodes: readonly Node[], { harness, violations }: World): void {
  const present = nodes.filter(({ metadata: { uid } }) => harness.controller.stateOf(uid)?.is === 'present');
  const needed = new Set(present.flatMap(routesNeeded));
  const incomplete = (harness.cloud.routesOf.get(tableKey) ?? []).filter((route) => route.incomplete);
  const texts = incomplete.map(({ podCidr, nextHop }) => `${podCidr} ${nextHop}`);
  violations.push(...texts.filter((text) => needed.has(text)).map((text) => `at the end: ${text} is incomplete`));
}

/** With marks nothing is left of Nodes that are gone. What touches a Node that is not ours is not touched. */
function checkLeftovers(listed: readonly string[], nodes: readonly Node[], violations: string[]): void {
  const needed = new Set(nodes.flatMap(routesNeeded));
  const foreign = nodes.filter((node) => routesNeeded(node).length < (node.spec.podCIDRs ?? []).length);
  const left = listed.filter((text) => text.startsWith('10.1.') && !needed.has(text) && !text.includes('192.168.'));
  if (foreign.length === 0) violations.push(...left.map((text) => `at the end: ${text} is left`));
}
