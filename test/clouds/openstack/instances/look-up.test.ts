import t from 'tap';
import { portOf, serverFleetOf } from '../../../lab/clouds/openstack/server.ts';
import type { LabServer } from '../../../lab/clouds/openstack/server.ts';
import { labProjectId, labRegion, otherProjectId } from '../../../lab/clouds/openstack/state.ts';
import { labelsOf, lookUp, nodeNamed, nodeOf, nodeWith, ownScope, startOpenstackLab } from '../openstack-lab.ts';

const { lab, instances: create, context, reset, requestLines } = await startOpenstackLab(t);
const fleet = serverFleetOf({ count: 20, projectId: labProjectId, number: 0 });
const all = Object.values(fleet.servers);
const [first, second] = all as [LabServer, LabServer];
const nodes = all.map(nodeOf);
const missingId = 'b0000000-0000-4000-8000-999999999999';
const missing = nodeWith(`openstack:///${missingId}`);
const token = 'keystone POST /v3/auth/tokens';
const idList = 'nova GET /v2.1/servers';
const list = 'nova GET /v2.1/servers/detail';
const ports = 'neutron GET /v2.0/ports';
const show = (id: string): string => `nova GET /v2.1/servers/${id}`;

t.beforeEach(async () => {
  await reset();
  await lab.update(fleet);
});

await t.test('many are found in one list, their ports in one request, and the others by their ids', async (t) => {
  const results = await lookUp(create({}), [...nodes, missing], context());
  for (const [index, { id }] of all.entries()) {
    t.match(results[index], { status: 'running', by: 'list', instance: { providerId: `openstack:///${id}` } });
  }
  const evidence = `itemNotFound: Instance ${missingId} could not be found`;
  t.strictSame(results.at(-1), { status: 'not-found', evidence });
  t.strictSame(await requestLines(), [token, list, show(missingId), ports]);
});

await t.test('a list of several pages, whose links name another host', async (t) => {
  await lab.update({ behaviour: { pageMax: 7, linkHost: 'nova.internal.invalid' } });
  const results = await lookUp(create({}), nodes, context());
  t.ok(results.every((result) => result?.status === 'running'));
  t.strictSame(await requestLines(), [token, list, list, list, ports]);
});

await t.test('a list that does not end', async (t) => {
  await lab.update({ behaviour: { endless: true, pageMax: 7 } });
  await t.rejects(lookUp(create({}), nodes, context()), { kind: 'invalid-response', message: /does not end/ });
});

await t.test('a list without a server is no proof of its absence', async (t) => {
  await lab.update({ behaviour: { leftOutOfLists: [first.id] } });
  t.match(await lookUp(create({}), nodes, context()), { 0: { status: 'running', by: 'id' } });
});

await t.test('if a server is gone, a Ready node is looked up by its id, before Neutron is asked', async (t) => {
  const request = { nodes: [missing, nodeOf(first)], verify: [nodeOf(second)] };
  const results = await create({}).lookUp(ownScope, request, context());
  t.match(results.get(nodeOf(second).uid), { status: 'running', by: 'id' });
  t.strictSame(await requestLines(), [token, show(missingId), show(first.id), idList, show(second.id), ports]);
});

const faultBody = (message: string): string => JSON.stringify({ itemNotFound: { code: 404, message } });
const otherNotFounds = {
  'of a proxy': '<html>Not Found</html>',
  'of another path': faultBody('The resource could not be found.'),
  'of another server': faultBody(`Instance ${first.id} could not be found.`),
};
for (const [what, body] of Object.entries(otherNotFounds)) {
  await t.test(`the 404 ${what} is no evidence about a server that no list has`, async (t) => {
    await lab.addFault({
      service: 'nova',
      kind: 'status',
      status: 404,
      body,
      pathPrefix: `/v2.1/servers/${missingId}`,
    });
    const results = await lookUp(create({}), [missing, nodeOf(first)], context());
    t.match(results, [{ status: 'unknown', failure: { kind: 'misconfigured' } }, { status: 'running' }]);
  });
}

await t.test('names are found by a filter that is quoted, or in the list', async (t) => {
  const dotted = { ...first, id: 'b0000000-0000-4000-8000-000000777777', name: 'node.a' };
  const similar = { ...first, id: 'b0000000-0000-4000-8000-000000777778', name: 'nodexa' };
  await lab.update({ servers: { [dotted.id]: dotted, [similar.id]: similar }, ports: { [dotted.id]: portOf(dotted) } });
  const providerId = `openstack:///${dotted.id}`;
  const expected = [
    { status: 'running', by: 'list', instance: { providerId } },
    { status: 'unknown', failure: { kind: 'not-found' } },
  ];
  const named = [nodeNamed('node.a'), nodeNamed('nobody')];
  t.match(await lookUp(create({}), named, context()), expected);
  t.strictSame(await requestLines(), [token, list, ports]);
  t.match(await lookUp(create({}), [...named, ...nodes], context()), expected);
});

await t.test('a name that two servers have', async (t) => {
  const twin = { ...first, id: 'b0000000-0000-4000-8000-000000777777' };
  await lab.update({ servers: { [twin.id]: twin } });
  t.match(await lookUp(create({}), [nodeNamed(first.name)], context()), [
    { status: 'ambiguous', candidates: [first.id, twin.id].toSorted() },
  ]);
});

const regionLabel = 'topology.kubernetes.io/region';
const labelsOfNodes: Readonly<Record<string, readonly [labels: Readonly<Record<string, string>>, expected: object]>> = {
  'its server was found': [labelsOf(labProjectId), { status: 'not-found' }],
  'its server was never found': [{}, { status: 'unknown', failure: { message: /no label polycloud/ } }],
  'only an agent described it, which knows no region': [
    { 'polycloud.dev/openstack-project-id': labProjectId },
    { status: 'unknown', failure: { message: /no label topology/ } },
  ],
  'only another controller labelled it': [
    { [regionLabel]: labRegion },
    { status: 'unknown', failure: { message: /no label polycloud/ } },
  ],
  'its server is in another project': [
    labelsOf(otherProjectId),
    { status: 'unknown', failure: { kind: 'misconfigured', message: /a project that/, remedy: /openstack\.scopes/ } },
  ],
  'its server is in a region without a scope': [
    labelsOf(labProjectId, 'RegionThree'),
    { status: 'unknown', failure: { kind: 'misconfigured', message: /a region that/, remedy: /openstack\.scopes/ } },
  ],
  'its server is in the region of another scope': [labelsOf(labProjectId, 'RegionTwo'), { status: 'not-found' }],
};
for (const [what, [labels, expected]] of Object.entries(labelsOfNodes)) {
  await t.test(`Nova answers 404 about a Node's server: ${what}`, async (t) => {
    const scopes = [labRegion, 'RegionTwo'].map((region, at) => ({ name: `s${at}`, region }));
    const request = { nodes: [{ ...missing, labels }], verify: [] };
    const results = await create({ scopes }).lookUp({ cloud: 'openstack', key: 'openstack/s0' }, request, context());
    t.match(results.get(missing.uid), expected);
  });
}

const states: Readonly<Record<string, string>> = {
  ACTIVE: 'running',
  BUILD: 'running',
  ERROR: 'running',
  PAUSED: 'running',
  REBUILD: 'running',
  SUSPENDED: 'running',
  VERIFY_RESIZE: 'running',
  SHUTOFF: 'stopped',
  SHELVED: 'stopped',
  SHELVED_OFFLOADED: 'stopped',
  SOFT_DELETED: 'stopped',
  DELETED: 'terminated',
  UNKNOWN: 'unknown',
  constructor: 'unknown',
};
for (const [status, expected] of Object.entries(states)) {
  await t.test(`${status} is ${expected}`, async (t) => {
    await lab.update({ servers: { [first.id]: { ...first, status } } });
    t.match(await lookUp(create({}), [nodeOf(first)], context()), [{ status: expected }]);
  });
}

await t.test('type, zone, region and project, with the names that labels allow', async (t) => {
  const odd = { ...first, flavor: 'm1.large (4 vCPU)', zone: ' az 1/b ' };
  await lab.update({ servers: { [first.id]: odd } });
  const [plain, described] = await lookUp(create({}), [nodeOf(second), nodeOf(first)], context());
  const labels = { 'polycloud.dev/openstack-project-id': labProjectId };
  t.match(plain, { instance: { type: 'm1.large', zone: 'nova', region: 'RegionOne', labels } });
  t.match(described, { instance: { type: 'm1.large-4-vCPU', zone: 'az-1-b' } });
});

await t.test('a providerID with the region, and one with another region', async (t) => {
  const regional = nodeWith(`openstack://RegionOne/${first.id}`);
  const elsewhere = nodeWith(`openstack://RegionTwo/${first.id}`);
  const results = await lookUp(create({ regionInProviderId: true }), [regional, elsewhere], context());
  t.match(results, [
    { status: 'running', instance: { providerId: regional.providerId } },
    { status: 'unknown', failure: { kind: 'misconfigured', remedy: /have a region of openstack\.scopes/ } },
  ]);
});

await t.test('without Neutron a running server is unknown, and a stopped one keeps its addresses', async (t) => {
  await lab.update({ servers: { [second.id]: { ...second, status: 'SHUTOFF' } } });
  for (const begin of [
    () => lab.addFault({ service: 'neutron', kind: 'refuse' }),
    () => lab.update({ behaviour: { portsHidden: true } }),
  ]) {
    await lab.clearFaults();
    await begin();
    t.match(await lookUp(create({}), [nodeOf(first), nodeOf(second)], context()), [
      { status: 'unknown', failure: { remedy: /./ } },
      { status: 'stopped', instance: { addresses: [] } },
    ]);
  }
});

await t.test('a server without an address must not be initialised', async (t) => {
  await lab.update({
    servers: { [first.id]: { ...first, addresses: {} } },
    ports: { [portOf(first).id]: { ...portOf(first), addresses: [] } },
  });
  t.match(await lookUp(create({}), [nodeOf(first)], context()), [
    { status: 'unknown', failure: { message: /shows no address of the server/ } },
  ]);
});

await t.test('a server that cannot be read hides no other', async (t) => {
  const broken = { ...first, flavor: undefined as unknown as string };
  await lab.update({ servers: { [first.id]: broken } });
  const results = await lookUp(create({}), nodes, context());
  t.match(results[0], { status: 'unknown', failure: { kind: 'invalid-response' } });
  t.ok(results.slice(1).every((result) => result?.status === 'running'));
});

await t.test('after Retry-After nothing more is sent in the same look-up', async (t) => {
  await lab.addFault({ service: 'nova', kind: 'throttle', retryAfterS: 7, pathPrefix: '/v2.1/servers/a' });
  const gone = Array.from({ length: 60 }, (_each, at) => nodeWith(`openstack:///a${missingId.slice(1, -2)}${at + 10}`));
  const results = await lookUp(create({}), [...nodes, ...gone], context());
  const failure = { kind: 'throttled', retryAfterMs: 7_000 };
  for (const result of results.slice(nodes.length)) t.match(result, { status: 'unknown', failure });
  t.ok((await requestLines()).length <= 13, 'the token, the list, the ports, and what was on its way');
});

await t.test('a look-up whose time ends keeps what it has', async (t) => {
  const ending = new AbortController();
  let sent = 0;
  const beforeCall = async (): Promise<void> => {
    sent += 1;
    if (sent > 2) ending.abort(new Error('the look-up has ended'));
    return Promise.resolve();
  };
  const results = await lookUp(create({}), [...nodes, missing], { ...context(), signal: ending.signal, beforeCall });
  t.match(results.at(-1), { status: 'unknown', failure: { kind: 'unavailable', message: /time was over/ } });
});
