import t from 'tap';
import type { LookupContext, NodeFacts } from '../../../../clouds/cloud.ts';
import { instanceDocument } from '../../../lab/clouds/gcp/compute-documents.ts';
import { computeFleetOf, keyOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance, ComputeStatus } from '../../../lab/clouds/gcp/compute-instance.ts';
import { lookUp, nodeNamed, nodeOf, nodeWith, ownScope, startComputeLab } from '../compute-lab.ts';

const { lab, instances: create, context, requestPaths } = await startComputeLab(t);
const zones = ['us-central1-a', 'us-central1-b'];
const fleet = computeFleetOf({ count: 20, project: 'lab-project', zones, number: 0 });
const all = Object.values(fleet);
const [first, second] = all as [ComputeInstance, ComputeInstance];
const nodes = all.map(nodeOf);
const missing = nodeWith('gce://lab-project/us-central1-a/node-x');
const missingPath = 'lab-project/zones/us-central1-a/instances/node-x';
const listPath = 'lab-project/aggregated/instances';

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ computeInstances: fleet });
});

await t.test('many are found in one list, and the others by their names', async (t) => {
  const results = await lookUp(create({}), [...nodes, missing], context());
  for (const [index, { id, zone }] of all.entries()) {
    t.match(results[index], { status: 'running', by: 'list', instance: { instanceId: id, zone } });
  }
  t.match(results.at(-1), { status: 'not-found', evidence: `the resource projects/${missingPath} was not found` });
  t.strictSame(await requestPaths(), [listPath, missingPath]);
});

await t.test('a list of several pages', async (t) => {
  await lab.update({ compute: { pageMax: 7 } });
  const results = await lookUp(create({}), nodes, context());
  t.ok(results.every((result) => result?.status === 'running'));
  t.strictSame(await requestPaths(), [listPath, listPath, listPath]);
});

await t.test('look-ups at the same time share a list, and the next sweep has a new one', async (t) => {
  const instances = create({});
  let nowMs = 0;
  const at = (): LookupContext => ({ ...context(), clock: { ...context().clock, monotonicMs: () => nowMs } });
  await Promise.all([lookUp(instances, nodes, at()), lookUp(instances, nodes, at())]);
  await lookUp(instances, nodes, at());
  t.equal((await requestPaths()).length, 1);
  nowMs = 3_000;
  await lookUp(instances, nodes, at());
  t.equal((await requestPaths()).length, 2);
});

await t.test('a list that does not end', async (t) => {
  await lab.update({ compute: { endless: true } });
  await t.rejects(lookUp(create({}), nodes, context()), { kind: 'invalid-response', message: /does not end/ });
  t.equal((await requestPaths()).length, 2);
});

/** It has ended when so many requests were sent. */
function endingAfter(requests: number, nowMs: number): LookupContext {
  const ending = new AbortController();
  let sent = 0;
  const beforeCall = async (): Promise<void> => {
    sent += 1;
    if (sent > requests) ending.abort(new Error('the look-up has ended'));
    return Promise.resolve();
  };
  return { ...context(), signal: ending.signal, beforeCall, clock: { ...context().clock, monotonicMs: () => nowMs } };
}

for (const { laterMs, pages } of [
  { laterMs: 60_000, pages: 5 },
  { laterMs: 200_000, pages: 7 },
]) {
  await t.test(`a look-up has no time for all pages; the next one ${laterMs} ms later reads the rest`, async (t) => {
    await lab.update({ compute: { pageMax: 4 } });
    const instances = create({});
    // A project, a token and two pages.
    await t.rejects(lookUp(instances, nodes, endingAfter(4, 0)), { kind: 'unavailable', message: /was over/ });
    const results = await lookUp(instances, nodes, endingAfter(100, laterMs));
    t.ok(results.every((result) => result?.status === 'running' && result.by === 'list'));
    t.equal((await requestPaths()).length, pages);
  });
}

await t.test('after a response that is no list, the list begins anew', async (t) => {
  await lab.update({ compute: { pageMax: 4 } });
  const instances = create({});
  await lookUp(instances, nodes, endingAfter(4, 0)).catch(() => undefined);
  await lab.addFault({ service: 'compute', kind: 'status', status: 200, body: '{}', count: 1 });
  await t.rejects(lookUp(instances, nodes, endingAfter(100, 1_000)), {
    kind: 'invalid-response',
    message: /is not a list/,
  });
  t.ok((await lookUp(instances, nodes, endingAfter(100, 2_000))).every((result) => result?.status === 'running'));
  t.equal((await requestPaths()).length, 2 + 1 + 5);
});

await t.test('a list without an instance is no proof of its absence', async (t) => {
  await lab.update({ compute: { leftOutOfLists: [keyOf(first)] } });
  t.match(await lookUp(create({}), nodes, context()), { 0: { status: 'running', by: 'id' } });
});

await t.test('a list that is whole, and every request for one instance is 404', async (t) => {
  await lab.update({ compute: { hiddenFromGet: 'all' } });
  const few = await lookUp(create({}), nodes.slice(0, 2), context());
  for (const result of few) {
    t.match(result, { status: 'unknown', failure: { message: /but the list of instances has/ } });
  }
  const many = await lookUp(create({}), nodes, context());
  for (const result of many) t.match(result, { status: 'running', by: 'list' });
});

for (const partialBy of ['unreachables', 'warning-of-zone'] as const) {
  await t.test(`a zone that cannot be read is unknown, and its neighbours are found: ${partialBy}`, async (t) => {
    await lab.update({ compute: { unreachableZones: ['us-central1-b'], partialBy } });
    const results = await lookUp(create({}), [...nodes, missing], context());
    for (const [index, { zone }] of all.entries()) {
      t.equal(results[index]?.status, zone === 'us-central1-b' ? 'unknown' : 'running');
    }
    t.equal(results.at(-1)?.status, 'not-found');
    t.strictSame(await requestPaths(), [listPath, missingPath], 'nothing is asked of the zone');
  });
}

await t.test('a list that is not whole and does not show where', async (t) => {
  await lab.update({ compute: { unreachableZones: ['us-central1-b'], partialBy: 'warning-of-list' } });
  const results = await lookUp(create({}), [...nodes, missing], context());
  for (const [index, { zone }] of all.entries()) {
    t.equal(results[index]?.status, zone === 'us-central1-b' ? 'unknown' : 'running');
  }
  t.equal(results.at(-1)?.status, 'unknown');
});

await t.test('a response about another instance', async (t) => {
  const body = JSON.stringify(instanceDocument(second));
  await lab.addFault({ service: 'compute', kind: 'status', status: 200, body });
  await t.rejects(lookUp(create({}), [nodeOf(first)], context()), {
    kind: 'invalid-response',
    message: /something that is not node-0 in us-central1-a/,
  });
});

await t.test('a running instance without an address is not known yet, so its Node is not initialised', async (t) => {
  const put = (change: Partial<ComputeInstance>): Promise<void> =>
    lab.update({ computeInstances: { [keyOf(first)]: { ...first, ...change } } });
  await put({ interfaces: [{}] });
  t.match(await lookUp(create({}), [nodeOf(first)], context()), [
    { status: 'unknown', failure: { message: /no address/ } },
  ]);
  await put({ interfaces: [{}], status: 'TERMINATED' });
  t.match(await lookUp(create({}), [nodeOf(first)], context()), [{ status: 'stopped' }]);
});

await t.test('a project or a zone that does not exist is no evidence', async (t) => {
  const elsewhere = [
    nodeWith('gce://lab-project/us-central1-x/node-0'),
    nodeWith('gce://other-project/us-central1-a/a'),
  ];
  for (const result of await lookUp(create({}), [...elsewhere, nodeOf(first)], context())) {
    t.match(result?.status, /^(?:unknown|running)$/);
  }
  t.match(await lookUp(create({}), elsewhere.slice(0, 1), context()), [
    { status: 'unknown', failure: { kind: 'misconfigured' } },
  ]);
  await lab.update({ compute: { projects: [] } });
  await t.rejects(lookUp(create({}), [missing], context()), { message: /knows no such project, zone or instance/ });
});

await t.test('a name that another instance has now is looked up by it, and so is a Ready node', async (t) => {
  const reused: NodeFacts = { ...nodeOf(first), instanceId: '1' };
  const request = { nodes: [reused, ...nodes.slice(1)], verify: [nodeOf(second)] };
  const results = await create({}).lookUp(ownScope, request, context());
  t.match(results.get(reused.uid), { status: 'running', by: 'id', instance: { instanceId: first.id } });
  t.match(results.get(nodeOf(second).uid), { status: 'running', by: 'id' });
  const paths = [first, second].map(({ zone, name }) => `lab-project/zones/${zone}/instances/${name}`);
  t.strictSame(await requestPaths(), [listPath, ...paths]);
});

await t.test('after Retry-After nothing more is sent in the same look-up', async (t) => {
  const pathPrefix = '/compute/v1/projects/lab-project/zones/';
  await lab.addFault({ service: 'compute', kind: 'throttle', retryAfterS: 7, pathPrefix });
  const gone = Array.from({ length: 60 }, (_each, index) => nodeWith(`gce://lab-project/us-central1-a/gone-${index}`));
  const results = await lookUp(create({}), [...nodes, ...gone], context());
  const failure = { kind: 'throttled', retryAfterMs: 7_000 };
  for (const result of results.slice(nodes.length)) t.match(result, { status: 'unknown', failure });
  t.ok((await requestPaths()).length <= 11, 'the list, and what was on its way');
});

const states: Readonly<Record<ComputeStatus, string>> = {
  PROVISIONING: 'running',
  STAGING: 'running',
  RUNNING: 'running',
  REPAIRING: 'running',
  STOPPING: 'running',
  SUSPENDING: 'running',
  SUSPENDED: 'stopped',
  TERMINATED: 'stopped',
};
for (const [status, expected] of Object.entries(states) as [ComputeStatus, string][]) {
  await t.test(`${status} is ${expected}, which is never gone`, async (t) => {
    await lab.update({ computeInstances: { [keyOf(first)]: { ...first, status } } });
    t.match(await lookUp(create({}), [nodeOf(first)], context()), [{ status: expected }]);
  });
}

await t.test('a status that is not known', async (t) => {
  const changed = { ...first, status: 'DREAMING' as ComputeStatus };
  await lab.update({ computeInstances: { [keyOf(first)]: changed } });
  t.match(await lookUp(create({}), [nodeOf(first)], context()), [
    { status: 'unknown', failure: { message: /DREAMING/ } },
  ]);
});

await t.test('addresses of two families, of two interfaces and of an alias range', async (t) => {
  const interfaces = [
    { ip: '10.0.0.30', ipv6: 'fd20::30', externalIp: '192.0.2.30', aliasRanges: ['10.8.0.0/24', '10.9.0.9/32'] },
    { ip: '10.1.0.30', externalIpv6: '2001:db8::30', externalIp: '' },
  ];
  await lab.update({ computeInstances: { [keyOf(first)]: { ...first, interfaces } } });
  const own = [
    { type: 'InternalIP', address: '10.0.0.30' },
    { type: 'InternalIP', address: '10.1.0.30' },
    { type: 'InternalIP', address: 'fd20::30' },
    { type: 'InternalIP', address: '2001:db8::30' },
    { type: 'ExternalIP', address: '192.0.2.30' },
  ];
  const [result] = await lookUp(create({}), [nodeOf(first)], context());
  t.strictSame(result !== undefined && 'instance' in result && result.instance.addresses, own);
  const withAlias = { ...nodeOf(first), nodeIps: ['10.9.0.9'] };
  const [chosen] = await lookUp(create({}), [withAlias], context());
  t.match(chosen, { instance: { addresses: { 1: { type: 'InternalIP', address: '10.9.0.9' } } } });
});

await t.test('without a providerID: by the name, where every zone could be read', async (t) => {
  const instances = create({});
  const named = [nodeNamed(first.name), nodeNamed(`${second.name}.c.lab-project.internal`), nodeNamed('nobody')];
  const providerId = `gce://lab-project/${first.zone}/${first.name}`;
  t.match(await lookUp(instances, named, context()), [
    { status: 'running', by: 'list', instance: { providerId } },
    { status: 'running', by: 'list' },
    { status: 'unknown', failure: { kind: 'not-found' } },
  ]);
  await lab.update({ compute: { unreachableZones: ['europe-west4-a'] } });
  t.match(await lookUp(create({}), named, context()), [
    { status: 'unknown' },
    { status: 'unknown' },
    { status: 'unknown' },
  ]);
  const twin = { ...first, zone: 'us-central1-b', id: '7' };
  await lab.update({ computeInstances: { [keyOf(twin)]: twin }, compute: { unreachableZones: [] } });
  t.match(await lookUp(create({}), [nodeNamed(first.name)], context()), [{ status: 'ambiguous' }]);
});
