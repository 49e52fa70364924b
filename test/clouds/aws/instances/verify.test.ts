import t from 'tap';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { account, nodeOf, nodeWith, startEc2Lab, westScope } from '../ec2-lab.ts';

const { lab, instances: create, context, requestCount } = await startEc2Lab(t);
const fleet = { region: 'us-west-2', zoneLetters: ['a'], accountId: account, launchedAtMs: 0, number: 0 };
const two = Object.values(fleetOf({ ...fleet, count: 2 }));
const [first, second] = two as [Ec2Instance, Ec2Instance];
const missing = nodeWith('aws:///us-west-2a/i-00000000000000aaa');

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ ec2Instances: Object.fromEntries(two.map((each) => [each.instanceId, each])) });
});

await t.test('Ready nodes are looked up by id after a node that is not found', async (t) => {
  const verify = [nodeOf(second)];
  const results = await create({}).lookUp(westScope, { nodes: [nodeOf(first), missing], verify }, context());
  t.match(results.get(missing.uid), { status: 'not-found' });
  t.match(results.get(nodeOf(second).uid), { status: 'running', by: 'id' });
  t.equal(await requestCount(), 3, 'the refusal, the rest, and the Ready node');
});

await t.test('after a node that is terminated', async (t) => {
  await lab.update({ ec2Instances: { [first.instanceId]: { ...first, state: 'terminated' } } });
  const request = { nodes: [nodeOf(first)], verify: [nodeOf(second)] };
  const results = await create({}).lookUp(westScope, request, context());
  t.match(results.get(nodeOf(first).uid), { status: 'terminated' });
  t.match(results.get(nodeOf(second).uid), { status: 'running', by: 'id' });
});

await t.test('where nothing is gone they cost no request', async (t) => {
  const request = { nodes: [nodeOf(first)], verify: [nodeOf(second)] };
  const results = await create({}).lookUp(westScope, request, context());
  t.strictSame([...results.keys()], [nodeOf(first).uid]);
  t.equal(await requestCount(), 1);
});

await t.test('a failure of the second request leaves the results of the first', async (t) => {
  let calls = 0;
  const beforeCall = async (): Promise<void> => {
    calls += 1;
    if (calls === 2) await lab.update({ users: { 'lab-user': { id: 'AIDA', permissions: [] } } });
  };
  const request = { nodes: [missing], verify: [nodeOf(second)] };
  const results = await create({}).lookUp(westScope, request, { ...context(), beforeCall });
  t.match(results.get(missing.uid), { status: 'not-found' });
  t.match(results.get(nodeOf(second).uid), { status: 'unknown' });
});

await t.test('if the time ends during the second request, the results of the first are returned', async (t) => {
  const timeout = new AbortController();
  let calls = 0;
  const beforeCall = (): Promise<void> => {
    calls += 1;
    if (calls === 3) timeout.abort(new DOMException('too late', 'TimeoutError'));
    return Promise.resolve();
  };
  const request = { nodes: [nodeOf(first), missing], verify: [nodeOf(second)] };
  const results = await create({}).lookUp(westScope, request, { ...context(), beforeCall, signal: timeout.signal });
  t.match(results.get(nodeOf(first).uid), { status: 'running' });
  t.match(results.get(missing.uid), { status: 'not-found' });
  t.equal(results.get(nodeOf(second).uid), undefined);
});

await t.test('each request waits for its turn', async (t) => {
  let calls = 0;
  const beforeCall = async (): Promise<void> => {
    t.equal(await requestCount(), calls);
    calls += 1;
  };
  const request = { nodes: [nodeOf(first), missing], verify: [nodeOf(second)] };
  await create({}).lookUp(westScope, request, { ...context(), beforeCall });
  t.equal(calls, 3);
  t.equal(await requestCount(), 3);
});
