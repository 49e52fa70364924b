import t from 'tap';
import { createFakeClock } from '../../../clocks/fake-clock.ts';
import { labCredentialId } from '../../../lab/clouds/openstack/state.ts';
import { nodeOf } from '../openstack-lab.ts';
import { addressOf, routedFacts, routerId, startNeutronRouteLab, strangerRoute } from './route-lab.ts';

const { lab, open, servers, portOf, changePort, requestLines } = await startNeutronRouteLab(t);
const [first, second] = servers;
const table = { cloud: 'openstack', key: `openstack/own-project/${routerId}` };
const ownMac = 'fa:16:3e:00:00:01';

function routeTo(podCidr: string, nextHop = addressOf(first)) {
  return { podCidr, nextHop, owner: 'this-cluster', blackhole: false } as const;
}

await t.test('a route and its address pair come and go together, and others stay', async (t) => {
  const { routes, context } = await open();
  const others = [
    { ip_address: '10.0.50.1', mac_address: ownMac },
    { ip_address: '10.244.1.0/24', mac_address: 'fa:16:3e:99:99:99' },
  ];
  await changePort(first, { allowedPairs: others });
  const create = [routeTo('10.244.1.0/24')];
  await routes.apply(table, { create, remove: [] }, context);
  const ours = { ip_address: '10.244.1.0/24', mac_address: ownMac };
  t.strictSame((await portOf(first)).allowedPairs, [...others, ours]);
  t.match(await routes.list(table, context), [
    { podCidr: strangerRoute.destination, owner: 'unmarked' },
    { podCidr: '10.244.1.0/24', nextHop: addressOf(first), owner: 'unmarked', blackhole: false },
  ]);
  await routes.apply(table, { create: [], remove: create }, context);
  t.strictSame((await portOf(first)).allowedPairs, others);
  t.strictSame((await lab.state()).routers[routerId]?.routes, [strangerRoute]);
});

await t.test('both families of a Node are one change of its port', async (t) => {
  const { routes, context } = await open();
  await changePort(first, { addresses: [addressOf(first), 'fd99::1'] });
  const create = [routeTo('10.244.1.0/24'), routeTo('fd00:1::/64', 'fd99::1')];
  const results = await routes.apply(table, { create, remove: [] }, context);
  t.strictSame(
    results,
    create.map((route) => ({ route })),
  );
  t.strictSame(
    (await portOf(first)).allowedPairs?.map((pair) => pair.ip_address),
    ['10.244.1.0/24', 'fd00:1::/64'],
  );
  const lines = (await requestLines()).filter((line) => line.startsWith('neutron'));
  t.equal(lines.length, 4, 'ports of the router, ports of the nodes, a port, the router');
});

await t.test('a Node that moves within its port keeps the pair', async (t) => {
  const { routes, context } = await open();
  await changePort(first, { addresses: [addressOf(first), '10.0.7.7'] });
  const [before, after] = [routeTo('10.244.1.0/24'), routeTo('10.244.1.0/24', '10.0.7.7')];
  await routes.apply(table, { create: [before], remove: [] }, context);
  const results = await routes.apply(table, { create: [after], remove: [before] }, context);
  t.strictSame(results, [{ route: before }, { route: after }]);
  t.match((await portOf(first)).allowedPairs, [{ ip_address: '10.244.1.0/24' }]);
  t.match((await lab.state()).routers[routerId]?.routes, [strangerRoute, { nexthop: '10.0.7.7' }]);
});

await t.test('a pair stays that another route to the same port needs', async (t) => {
  const { routes, context } = await open();
  await changePort(first, { addresses: [addressOf(first), '10.0.7.7'] });
  const [before, after] = [routeTo('10.244.1.0/24'), routeTo('10.244.1.0/24', '10.0.7.7')];
  await routes.apply(table, { create: [before, after], remove: [] }, context);
  t.strictSame(await routes.apply(table, { create: [], remove: [before] }, context), [{ route: before }]);
  t.match((await portOf(first)).allowedPairs, [{ ip_address: '10.244.1.0/24' }]);
  await routes.apply(table, { create: [], remove: [after] }, context);
  t.strictSame((await portOf(first)).allowedPairs, []);
});

await t.test('a route whose port has lost its pair is incomplete, within five minutes, until it has it', async (t) => {
  const { routes, context } = await open();
  const clock = createFakeClock(Date.now());
  const timed = { ...context, clock };
  const create = [routeTo('10.244.1.0/24'), routeTo('10.244.2.0/24', addressOf(second))];
  await routes.apply(table, { create, remove: [] }, context);
  const incomplete = async (): Promise<readonly string[]> =>
    (await routes.list(table, timed)).flatMap((route) => (route.incomplete ? [route.podCidr] : []));
  t.strictSame(await incomplete(), []);
  await changePort(first, { allowedPairs: [], revision: 7 });
  t.strictSame(await incomplete(), [], 'the ports are not listed with each list of routes');
  await clock.advance(300_000);
  t.strictSame(await incomplete(), ['10.244.1.0/24']);
  t.strictSame(await incomplete(), ['10.244.1.0/24']);
  await routes.apply(table, { create: create.slice(0, 1), remove: [] }, context);
  t.strictSame(await incomplete(), []);
  t.match((await portOf(first)).allowedPairs, [{ ip_address: '10.244.1.0/24' }]);
});

await t.test('a port that somebody else changes meanwhile is not overwritten, and its route waits', async (t) => {
  const { routes, context } = await open();
  const pair = { ip_address: '10.0.50.1', mac_address: ownMac };
  let calls = 0;
  const beforeCall = async (): Promise<void> => {
    calls += 1;
    // After the lists of ports, and the token before them.
    if (calls === 4) await changePort(first, { allowedPairs: [pair], revision: 7 });
  };
  const create = [routeTo('10.244.1.0/24'), routeTo('10.244.2.0/24', addressOf(second))];
  const results = await routes.apply(table, { create, remove: [] }, { ...context, beforeCall });
  t.match(results, [{ failure: { kind: 'unavailable', remedy: /tried again/ } }, { failure: undefined }]);
  t.strictSame((await portOf(first)).allowedPairs, [pair]);
  t.equal((await routes.list(table, context)).length, 2, 'the other route is there');
  t.match(await routes.apply(table, { create, remove: [] }, context), [{ failure: undefined }, {}]);
  t.match((await portOf(first)).allowedPairs, [pair, { ip_address: '10.244.1.0/24' }]);
});

await t.test('a port without security needs no pair', async (t) => {
  const { routes, context } = await open();
  await changePort(first, { portSecurity: false });
  const create = [routeTo('10.244.1.0/24')];
  t.strictSame(await routes.apply(table, { create, remove: [] }, context), [{ route: create[0] }]);
  t.equal((await portOf(first)).allowedPairs, undefined);
});

await t.test('the route of a server that is gone is removed', async (t) => {
  const { routes, context } = await open();
  const gone = routeTo('10.244.1.0/24', '10.0.77.77');
  const router = (await lab.state()).routers[routerId];
  if (router === undefined) throw new Error('there is a router');
  const route = { destination: gone.podCidr, nexthop: gone.nextHop };
  await lab.update({ routers: { [routerId]: { ...router, routes: [strangerRoute, route] } } });
  t.strictSame(await routes.apply(table, { create: [], remove: [gone] }, context), [{ route: gone }]);
  t.equal((await routes.list(table, context)).length, 1);
});

await t.test('a port in a network that the router is not in is another machine with the same address', async (t) => {
  const { routes, context } = await open();
  await changePort(first, { networkId: 'another' });
  const results = await routes.apply(table, { create: [routeTo('10.244.1.0/24')], remove: [] }, context);
  t.match(results, [{ failure: { kind: 'not-found', message: /no port with the address/ } }]);
  t.equal((await portOf(first)).allowedPairs, undefined);
});

await t.test('a reader may list, and is denied changes with the role that they need', async (t) => {
  const { routes, context } = await open();
  const credential = (await lab.state()).applicationCredentials[labCredentialId];
  if (credential === undefined) throw new Error('the lab has changed');
  await lab.update({ applicationCredentials: { [labCredentialId]: { ...credential, roles: ['reader'] } } });
  t.equal((await routes.list(table, context)).length, 1);
  const results = await routes.apply(table, { create: [routeTo('10.244.1.0/24')], remove: [] }, context);
  t.match(results, [{ failure: { kind: 'denied', remedy: /grant the role member/ } }]);
});

await t.test('a router that does not exist is a mistake of the configuration', async (t) => {
  const { routes, context } = await open();
  await lab.update({ routers: { [routerId]: { projectId: 'another', routes: [] } } });
  await t.rejects(routes.list(table, context), { kind: 'misconfigured', message: /no such router/ });
});

await t.test('a Node is in the router of its project, and its next hop is its first internal address', async (t) => {
  const scopes = [
    { name: 'prod', region: 'RegionOne', routerId },
    { name: 'other', region: 'RegionTwo' },
  ];
  const { routes } = await open({ scopes });
  const { facts, addresses } = routedFacts(first);
  t.strictSame(
    routes.tablesOf(facts).map(({ key }) => key),
    [`openstack/prod/${routerId}`],
  );
  t.strictSame(routes.tablesOf({ ...nodeOf(first), providerId: `openstack://RegionTwo/${first.id}` }), []);
  t.equal(routes.nextHopOf(facts, '10.244.1.0/24', addresses), addressOf(first));
  t.equal(routes.nextHopOf(facts, 'fd00:1::/64', addresses), undefined, 'it has no address of this family');
});
