import t from 'tap';
import type { AwsConfig } from '../../../../schemas/config/aws.ts';
import { nodeOf, nodeWith } from '../ec2-lab.ts';
import type { Ec2RouteTable } from '../../../lab/clouds/aws/ec2-route-table.ts';
import { clusterTag, otherRoutes, startRouteLab, tableId } from './route-lab.ts';

const routeLab = await startRouteLab(t);
const { lab, open, instances, requestCount } = routeLab;
const [first, second] = instances;
const byName = { clusterName: 'prod' };
const tableKey = { cloud: 'aws', key: 'aws/us-west-2/routes' };
const route = { podCidr: '10.244.1.0/24', nextHop: first.instanceId, owner: 'this-cluster', blackhole: false } as const;

await t.test('only routes to instances can be the cluster’s, and only in a table that it owns', async (t) => {
  for (const [config, tags, owner] of [
    [byName, { [clusterTag]: 'owned' }, 'this-cluster'],
    [byName, { [clusterTag]: 'shared' }, 'unmarked'],
    [byName, { [clusterTag]: 'owned', 'kubernetes.io/cluster/other': 'owned' }, 'unmarked'],
    [{ routeTables: [{ id: tableId }] }, { [clusterTag]: 'owned' }, 'unmarked'],
    [{ ...byName, routeTables: [{ id: tableId }] }, { [clusterTag]: 'owned' }, 'this-cluster'],
    [{ ...byName, routeTables: [{ id: tableId }] }, {}, 'unmarked'],
  ] as const) {
    const { routes, context } = await open(structuredClone(config) as Partial<AwsConfig>, { tags });
    const [table] = routes.tablesOf(nodeOf(first));
    if (table === undefined) throw new Error('the node has a table');
    await routes.apply(table, { create: [route], remove: [] }, context);
    const listed = await routes.list(table, context);
    t.match(listed, [
      { podCidr: '10.0.0.0/16', nextHop: '', owner: 'other', blackhole: false },
      { podCidr: '0.0.0.0/0', owner: 'other' },
      { podCidr: '10.244.200.0/24', nextHop: 'eni-0a', owner: 'other' },
      { podCidr: '10.244.1.0/24', nextHop: first.instanceId, owner, blackhole: false },
    ]);
  }
});

await t.test('an instance that stops or ends leaves a blackhole, a gateway that is gone is none of ours', async (t) => {
  const gateway = {
    destination: '10.244.9.0/24',
    target: { natGatewayId: 'nat-0' },
    origin: 'CreateRoute',
    state: 'blackhole',
  } as const;
  const { routes, context } = await open(byName, { routes: [gateway] });
  const create = [route, { ...route, podCidr: '10.244.2.0/24', nextHop: second.instanceId }];
  await routes.apply(tableKey, { create, remove: [] }, context);
  await lab.update({
    ec2Instances: {
      [first.instanceId]: { ...first, state: 'stopped' },
      [second.instanceId]: { ...second, state: 'terminated' },
    },
  });
  t.match(await routes.list(tableKey, context), [
    { nextHop: '', owner: 'other', blackhole: true },
    { nextHop: first.instanceId, owner: 'this-cluster', blackhole: true },
    { nextHop: /^eni-/, owner: 'this-cluster', blackhole: true },
  ]);
});

await t.test('a new route is possible because the instance no longer checks addresses', async (t) => {
  const { routes, context } = await open(byName);
  await routes.apply(tableKey, { create: [route], remove: [] }, context);
  t.equal((await lab.state()).ec2Instances[first.instanceId]?.sourceDestCheck, false);
  t.equal(await requestCount(), 3, 'the list, the attribute and the route');
  t.match(await routeLab.table(), [
    ...otherRoutes,
    { destination: '10.244.1.0/24', target: { instanceId: first.instanceId } },
  ]);
});

await t.test('IPv6', async (t) => {
  const { routes, context } = await open(byName);
  const ipv6 = { ...route, podCidr: 'fd00:10:244:1::/64' };
  t.match(await routes.apply(tableKey, { create: [ipv6], remove: [] }, context), [{ route: ipv6, failure: undefined }]);
  t.match((await routes.list(tableKey, context)).at(-1), { podCidr: ipv6.podCidr, nextHop: first.instanceId });
  await routes.apply(tableKey, { create: [], remove: [ipv6] }, context);
  t.equal((await routeLab.table()).length, otherRoutes.length);
});

await t.test('a route that somebody made meanwhile is not replaced', async (t) => {
  const { routes, context } = await open(byName);
  const taken = { ...route, podCidr: '10.244.200.0/24' };
  const results = await routes.apply(tableKey, { create: [taken], remove: [] }, context);
  t.match(results, [{ failure: { message: 'there is a route for 10.244.200.0/24 already, to eni-0a' } }]);
});

await t.test('what EC2 refuses has a reason and a remedy', async (t) => {
  const full = Array.from({ length: 50 }, (_, index) => ({ ...otherRoutes[1], destination: `10.9.${index}.0/24` }));
  const { routes, context } = await open(byName, { routes: full as typeof otherRoutes });
  const change = { create: [route], remove: [] };
  t.match(await routes.apply(tableKey, change, context), [{ failure: { message: /table is full/, remedy: /quota/ } }]);
  const twice = [...first.interfaces, ...first.interfaces];
  await lab.update({
    routeTables: { [tableId]: { ...(await tableNow()), routes: [] } },
    ec2Instances: { [first.instanceId]: { ...first, interfaces: twice } },
  });
  t.match(await routes.apply(tableKey, change, context), [{ failure: { message: /several network interfaces/ } }]);
});

await t.test('no table, several tables and a table elsewhere are mistakes of the configuration', async (t) => {
  const { routes, context } = await open(byName, { tags: {} });
  await t.rejects(routes.list(tableKey, context), {
    kind: 'misconfigured',
    message: `EC2 has no route table with the tag ${clusterTag}`,
  });
  const tagged = { ...(await tableNow()), tags: { [clusterTag]: 'owned' } };
  await lab.update({ routeTables: { [tableId]: tagged, 'rtb-0b': { ...tagged, routeTableId: 'rtb-0b' } } });
  await t.rejects(routes.list(tableKey, context), {
    kind: 'misconfigured',
    message: /several route tables with the tag/,
  });
  const byId = await open({ routeTables: [{ id: 'rtb-0aaaaaaaaaaaaaaaa' }] });
  const [table] = byId.routes.tablesOf(nodeOf(first));
  t.equal(table?.key, 'aws/us-west-2/rtb-0aaaaaaaaaaaaaaaa');
  await t.rejects(byId.routes.list(table ?? tableKey, byId.context), { message: /no route table rtb-0aaa/ });
});

await t.test('a Node is in the tables of its region, and has a next hop if it has an instance', async (t) => {
  const ids = [
    { id: tableId, region: 'us-west-2' },
    { id: 'rtb-0bbbbbbbbbbbbbbbb', region: 'eu-west-1' },
  ];
  const { routes } = await open({ routeTables: ids });
  const labels = { 'topology.kubernetes.io/region': 'eu-west-1' };
  const inEurope = { ...nodeWith('aws:///eu-west-1a/i-0123456789abcdef0'), labels };
  t.strictSame(
    routes.tablesOf(inEurope).map(({ key }) => key),
    ['aws/eu-west-1/rtb-0bbbbbbbbbbbbbbbb'],
  );
  t.equal(routes.nextHopOf(inEurope, '10.244.1.0/24', []), 'i-0123456789abcdef0');
  const { providerId: _, ...without } = inEurope;
  t.strictSame([routes.tablesOf(without), routes.nextHopOf(without, '10.244.1.0/24', [])], [[], undefined]);
});

await t.test('without a table in the configuration there are no routes', (t) => {
  t.throws(() => routeLab.routes({}), /no route table is configured/);
  t.end();
});

async function tableNow(): Promise<Ec2RouteTable> {
  const table = (await lab.state()).routeTables[tableId];
  if (table === undefined) throw new Error('there is a table');
  return table;
}
