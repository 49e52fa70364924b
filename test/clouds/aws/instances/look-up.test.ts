import t from 'tap';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance, Ec2State } from '../../../lab/clouds/aws/ec2-instance.ts';
import { account, nodeNamed, nodeOf, nodeWith, otherAccount, startEc2Lab, westScope } from '../ec2-lab.ts';

const { lab, instances: create, lookUp: look, requestCount: asked } = await startEc2Lab(t);
const fleet = { region: 'us-west-2', zoneLetters: ['a', 'b', 'c'], accountId: account, launchedAtMs: 0, number: 0 };
const six = Object.values(fleetOf({ ...fleet, count: 6 }));
const [first, second, third, fourth] = six as [Ec2Instance, Ec2Instance, Ec2Instance, Ec2Instance];
const instances = create({});

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ ec2Instances: Object.fromEntries(six.map((each) => [each.instanceId, each])) });
});

await t.test('a running instance, with everything for a Node', async (t) => {
  t.same(await look(instances, westScope, [nodeOf(first)]), [
    {
      status: 'running',
      by: 'id',
      instance: {
        providerId: `aws:///us-west-2a/${first.instanceId}`,
        type: 'm7g.large',
        region: 'us-west-2',
        zone: 'us-west-2a',
        addresses: [
          { type: 'InternalIP', address: '10.0.0.0' },
          { type: 'InternalDNS', address: 'ip-10-0-0-0.us-west-2.compute.internal' },
          { type: 'Hostname', address: 'ip-10-0-0-0.us-west-2.compute.internal' },
        ],
        labels: { 'topology.k8s.aws/zone-id': 'uw2-az1' },
      },
    },
  ]);
  t.equal(await asked(), 1);
});

const states: readonly (readonly [Ec2State, object])[] = [
  ['pending', { status: 'running' }],
  ['running', { status: 'running' }],
  ['stopping', { status: 'running' }],
  ['stopped', { status: 'stopped' }],
  ['shutting-down', { status: 'running' }],
  ['terminated', { status: 'terminated', evidence: `${first.instanceId} is in state terminated` }],
];
for (const [state, expected] of states) {
  await t.test(`state ${state}`, async (t) => {
    await lab.update({ ec2Instances: { [first.instanceId]: { ...first, state, terminatedAtMs: Date.now() } } });
    t.match(await look(instances, westScope, [nodeOf(first)]), [expected]);
  });
}

await t.test('an unknown state proves nothing', async (t) => {
  const odd = { ...first, state: 'constructor' as Ec2State };
  await lab.update({ ec2Instances: { [first.instanceId]: odd } });
  t.match(await look(instances, westScope, [nodeOf(first)]), [
    { status: 'unknown', failure: { kind: 'invalid-response' } },
  ]);
});

await t.test('unknown ids are gone, in the words of EC2, and do not hide the others', async (t) => {
  const gone = ['i-00000000000000aaa', 'i-00000000000000bbb'].map((id) => nodeWith(`aws:///us-west-2a/${id}`));
  const [a, b, c, d] = await look(instances, westScope, [nodeOf(first), ...gone, nodeOf(second)]);
  const evidence = "The instance IDs 'i-00000000000000aaa, i-00000000000000bbb' do not exist";
  const expected = { status: 'not-found', evidence };
  t.same([b, c], [expected, expected]);
  t.match([a, d], [{ status: 'running' }, { status: 'running' }]);
  t.equal(await asked(), 2);
});

await t.test('an id that is none is unknown, never gone, and does not hide the others', async (t) => {
  const nodes = [nodeOf(first), nodeWith('aws:///us-west-2a/i-broken'), nodeOf(second)];
  t.match(await look(instances, westScope, nodes), [
    { status: 'running' },
    { status: 'unknown', failure: { message: /InvalidInstanceID\.Malformed: Invalid id: "i-broken"/ } },
    { status: 'running' },
  ]);
});

await t.test('an instance of another account is omitted, and that proves nothing', async (t) => {
  await lab.update({ ec2Instances: { [second.instanceId]: { ...second, accountId: otherAccount } } });
  const message = `left ${second.instanceId} out of its answer`;
  t.match(await look(instances, westScope, [nodeOf(first), nodeOf(second)]), [
    { status: 'running' },
    { status: 'unknown', failure: { message: new RegExp(message) } },
  ]);
});

await t.test('200 with an empty list proves nothing', async (t) => {
  await lab.update({ ec2: { answers: 'empty' } });
  const findings = await look(instances, westScope, [...six.map(nodeOf), nodeNamed(first.privateDnsName)]);
  t.same(new Set(findings.map((finding) => finding?.status)), new Set(['unknown']));
});

await t.test('a partial response proves nothing about the instances that it omits', async (t) => {
  await lab.update({ ec2: { leftOut: [second.instanceId, third.instanceId] } });
  const findings = await look(instances, westScope, six.map(nodeOf));
  t.same(
    findings.map((finding) => finding?.status),
    ['running', 'unknown', 'unknown', 'running', 'running', 'running'],
  );
});

await t.test('a broken zone hides only its own instances', async (t) => {
  await lab.update({ ec2: { brokenZones: ['us-west-2b'] } });
  const findings = await look(instances, westScope, [
    ...six.map(nodeOf),
    nodeWith('aws:///us-west-2a/i-00000000000000aaa'),
  ]);
  t.match(findings, [
    { status: 'running' },
    { status: 'unknown', failure: { kind: 'unavailable', message: /has an error of its own/ } },
    { status: 'running' },
    { status: 'running' },
    { status: 'unknown' },
    { status: 'running' },
    { status: 'not-found' },
  ]);
});

await t.test('pages are read to their end', async (t) => {
  await lab.update({ ec2: { pageMax: 2 } });
  t.ok((await look(instances, westScope, six.map(nodeOf))).every((finding) => finding?.status === 'running'));
  t.equal(await asked(), 3);
});

await t.test('a new instance that EC2 does not show yet is not-found, as EC2 reports it', async (t) => {
  await lab.update({ ec2: { invisibleForMs: 60_000 }, ec2Instances: { new: { ...first, launchedAtMs: Date.now() } } });
  await lab.update({ ec2Instances: { [first.instanceId]: { ...first, launchedAtMs: Date.now() } } });
  t.match(await look(instances, westScope, [nodeOf(first), nodeOf(second)]), [
    { status: 'not-found' },
    { status: 'running' },
  ]);
});

await t.test('two nodes with one id, and one id in two forms', async (t) => {
  const twin = { ...nodeOf(first), uid: 'twin' };
  const nodes = [nodeOf(first), twin, nodeWith(first.instanceId), nodeWith(`aws:////${first.instanceId}`)];
  t.ok((await look(instances, westScope, nodes)).every((finding) => finding?.status === 'running'));
  t.equal(await asked(), 1);
});

await t.test('by name: the private DNS name, or the name by resource', async (t) => {
  const byResource = `${second.instanceId}.us-west-2.compute.internal`;
  const nodes = [nodeNamed(first.privateDnsName), nodeNamed(byResource), nodeNamed('metal-1'), nodeOf(third)];
  t.match(await look(instances, westScope, nodes), [
    { status: 'running', instance: { providerId: `aws:///us-west-2a/${first.instanceId}` } },
    { status: 'running', instance: { providerId: `aws:///us-west-2b/${second.instanceId}` } },
    { status: 'unknown', failure: { kind: 'not-found', message: /no instance whose private DNS name is metal-1/ } },
    { status: 'running' },
  ]);
  t.equal(await asked(), 2);
});

await t.test('a look-up by name never reports an instance as gone', async (t) => {
  await lab.update({
    ec2Instances: {
      [first.instanceId]: { ...first, state: 'terminated', terminatedAtMs: Date.now() },
      [second.instanceId]: { ...second, state: 'terminated', terminatedAtMs: Date.now() },
    },
  });
  const names = [first.privateDnsName, second.instanceId, 'i-00000000000000aaa.us-west-2.compute.internal'];
  const findings = await look(instances, westScope, names.map(nodeNamed));
  t.same(
    findings.map((finding) => finding?.status),
    ['unknown', 'unknown', 'unknown'],
  );
});

await t.test('two instances of one name are never guessed between', async (t) => {
  await lab.update({ ec2Instances: { [fourth.instanceId]: { ...fourth, privateDnsName: first.privateDnsName } } });
  const candidates = [first.instanceId, fourth.instanceId].toSorted();
  t.same(await look(instances, westScope, [nodeNamed(first.privateDnsName)]), [{ status: 'ambiguous', candidates }]);
});

await t.test('a thousand by name are asked for in fives, five hundred by id at once', async (t) => {
  const many = fleetOf({ ...fleet, count: 1_000, number: 7 });
  await lab.update({ ec2Instances: many });
  const all = Object.values(many);
  t.ok(all.length === 1_000 && instances.batchMax === 500);
  const byName = await look(
    instances,
    westScope,
    all.map(({ privateDnsName }) => nodeNamed(privateDnsName)),
  );
  t.ok(byName.every((finding) => finding?.status === 'running'));
  t.equal(await asked(), 5);
  const byId = await look(instances, westScope, all.slice(0, 500).map(nodeOf));
  t.ok(byId.every((finding) => finding?.status === 'running'));
  t.equal(await asked(), 6);
});

await t.test('without nodes no request is sent', async (t) => {
  t.same(await look(instances, westScope, []), []);
  t.equal(await asked(), 0);
});
