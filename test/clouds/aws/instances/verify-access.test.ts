import t from 'tap';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { account, nodeNamed, nodeOf, otherAccount, startEc2Lab, westScope } from '../ec2-lab.ts';

const { lab, instances: create, lookUp: look, context, requestCount: asked } = await startEc2Lab(t);
const fleet = { region: 'us-west-2', zoneLetters: ['a'], accountId: account, launchedAtMs: 0, number: 0 };
const two = fleetOf({ ...fleet, count: 2 });
const [first, second] = Object.values(two) as [Ec2Instance, Ec2Instance];
const foreign = fleetOf({ ...fleet, accountId: otherAccount, count: 2, number: 1 });
const scopes = [{ name: 'prod', region: 'us-west-2', accountId: account }];
const prod = { cloud: 'aws', key: 'aws/prod' };

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ ec2Instances: two });
});

async function switchAccount(): Promise<void> {
  const { users } = await lab.state();
  const user = users['lab-user'];
  if (user === undefined) throw new Error('there is no lab-user');
  await lab.update({ users: { 'lab-user': { ...user, accountId: otherAccount } }, ec2Instances: foreign });
}

await t.test('without a known instance nothing verifies the account', async (t) => {
  t.equal(await create({}).verifyAccess(westScope, context()), false);
  t.equal(await asked(), 0);
});

await t.test('one of the nodes was seen by its id, and the account is still the same', async (t) => {
  const instances = create({});
  await look(instances, westScope, [nodeOf(first)]);
  t.equal(await instances.verifyAccess(westScope, context()), true);
});

await t.test('a terminated one teaches the account as well', async (t) => {
  const instances = create({});
  await lab.update({
    ec2Instances: { [first.instanceId]: { ...first, state: 'terminated', terminatedAtMs: Date.now() } },
  });
  await look(instances, westScope, [nodeOf(first)]);
  t.equal(await instances.verifyAccess(westScope, context()), true);
});

await t.test('a name teaches nothing: another account can have the same', async (t) => {
  const instances = create({});
  t.match(await look(instances, westScope, [nodeNamed(second.privateDnsName)]), [{ status: 'running' }]);
  t.equal(await instances.verifyAccess(westScope, context()), false);
});

await t.test('other regions teach nothing', async (t) => {
  const instances = create({});
  await look(instances, westScope, [nodeOf(first)]);
  t.equal(await instances.verifyAccess({ cloud: 'aws', key: 'aws/us-east-1' }, context()), false);
});

await t.test('the keys are another account’s now', async (t) => {
  const instances = create({});
  await look(instances, westScope, [nodeOf(first)]);
  await switchAccount();
  await lab.update({ ec2: { foreign: 'not-found' } });
  t.match(
    await look(instances, westScope, [nodeOf(first)]),
    [{ status: 'not-found' }],
    'which is why the account has to be verified',
  );
  t.equal(await instances.verifyAccess(westScope, context()), false);
});

await t.test('the account has no instance left: STS returns our identity', async (t) => {
  const instances = create({});
  await look(instances, westScope, [nodeOf(first)]);
  await lab.update({ ec2: { terminatedForMs: 0, answers: 'empty' } });
  t.equal(await instances.verifyAccess(westScope, context()), true);
  await switchAccount();
  t.equal(await instances.verifyAccess(westScope, context()), false);
});

await t.test('could not find out is no', async (t) => {
  const instances = create({});
  await look(instances, westScope, [nodeOf(first)]);
  await lab.addFault({ service: 'ec2', kind: 'throttle', count: 1 });
  t.equal(await instances.verifyAccess(westScope, context()), false);
  t.equal(await instances.verifyAccess(westScope, context()), true);
  await lab.update({ ec2: { answers: 'empty' } });
  await lab.addFault({ service: 'sts', kind: 'garbage' });
  t.equal(await instances.verifyAccess(westScope, context()), false);
});

await t.test('an account that is configured need not be learnt', async (t) => {
  t.equal(await create({ scopes }).verifyAccess(prod, context()), true);
  await switchAccount();
  t.equal(await create({ scopes }).verifyAccess(prod, context()), false);
});
