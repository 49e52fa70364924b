import t from 'tap';
import { createInstances } from '../../../../clouds/aws/instances/index.ts';
import { fleetOf } from '../../../lab/clouds/aws/ec2-fleet.ts';
import type { AccessKey } from '../../../lab/clouds/aws/state.ts';
import { fakeHost } from '../../fake-host.ts';
import { awsConfig } from '../config.ts';
import { account, nodeNamed, nodeOf, otherAccount, startEc2Lab } from '../ec2-lab.ts';

const { lab, env, lookUp: look } = await startEc2Lab(t);
const fleet = { region: 'us-west-2', zoneLetters: ['a'], accountId: account, launchedAtMs: 0, number: 0 };
const [ours] = Object.values(fleetOf({ ...fleet, count: 1 }));
const [theirs] = Object.values(fleetOf({ ...fleet, accountId: otherAccount, count: 1, number: 1 }));
const [inEurope] = Object.values(fleetOf({ ...fleet, region: 'eu-west-1', count: 1, number: 2 }));
if (!ours || !theirs || !inEurope) throw new Error('three instances are needed');

const keyless = { ...env, AWS_ACCESS_KEY_ID: undefined, AWS_SECRET_ACCESS_KEY: undefined };
const ec2Of = { ...env, AWS_REGION: undefined };
const otherRole = `arn:aws:iam::${otherAccount}:role/other`;

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({
    ec2Instances: Object.fromEntries([ours, theirs, inEurope].map((each) => [each.instanceId, each])),
    roles: {
      other: {
        id: 'AROAOTHER000000000000',
        accountId: otherAccount,
        permissions: ['ec2:DescribeInstances'],
        trustedArns: [`arn:aws:iam::${account}:user/lab-user`],
        webIdentities: [],
      },
    },
  });
});

await t.test('without a configured region the machine’s own is used', async (t) => {
  const instances = createInstances({ env: ec2Of, host: fakeHost({}), config: awsConfig });
  const node = nodeNamed(ours.privateDnsName);
  const [scope] = instances.scopesOf(node) ?? [];
  t.equal(scope?.key, 'aws/own-region');
  const found = scope && (await look(instances, scope, [node]));
  t.match(found, [{ status: 'running', instance: { region: 'us-west-2' } }]);
});

await t.test('the region is unknown', async (t) => {
  const deaf = { ...ec2Of, AWS_EC2_METADATA_DISABLED: 'true' };
  const instances = createInstances({ env: deaf, host: fakeHost({}), config: awsConfig });
  const node = nodeNamed(ours.privateDnsName);
  await t.rejects(look(instances, { cloud: 'aws', key: 'aws/own-region' }, [node]), {
    kind: 'misconfigured',
    message: /AWS_EC2_METADATA_DISABLED is set/,
  });
});

await t.test('the instance’s role asks, and once for many looks', async (t) => {
  const instances = createInstances({ env: keyless, host: fakeHost({}), config: awsConfig });
  const west = { cloud: 'aws', key: 'aws/us-west-2' };
  await Promise.all([1, 2, 3].map(() => look(instances, west, [nodeOf(ours)])));
  t.match(await look(instances, west, [nodeOf(ours)]), [{ status: 'running' }]);
  const roleRequests = (await lab.requests()).filter(({ path }) => path.endsWith('security-credentials/lab-node'));
  t.equal(roleRequests.length, 1);
});

await t.test('a node in another region is asked for there', async (t) => {
  const instances = createInstances({ env, host: fakeHost({}), config: awsConfig });
  const [scope] = instances.scopesOf(nodeOf(inEurope)) ?? [];
  t.match(scope && (await look(instances, scope, [nodeOf(inEurope)])), [{ status: 'running' }]);
});

await t.test(
  'two accounts in one region: each sees its own instances, and neither reports the other’s as gone',
  async (t) => {
    const scopes = [
      { name: 'ours', region: 'us-west-2' },
      { name: 'theirs', region: 'us-west-2', roleArn: otherRole },
    ];
    const instances = createInstances({ env, host: fakeHost({}), config: { ...awsConfig, scopes } });
    const nodes = [nodeOf(ours), nodeOf(theirs)];
    t.same(instances.scopesOf(nodeOf(ours)), instances.scopesOf(nodeOf(theirs)));
    const seen = await Promise.all(
      (instances.scopesOf(nodeOf(ours)) ?? []).map(async (scope) =>
        (await look(instances, scope, nodes)).map((finding) => finding?.status),
      ),
    );
    t.same(seen, [
      ['running', 'unknown'],
      ['unknown', 'running'],
    ]);
  },
);

await t.test('a profile is used, and a missing profile is reported', async (t) => {
  const config = { ...awsConfig, scopes: [{ name: 'prod', region: 'us-west-2', profile: 'nobody' }] };
  const host = fakeHost({ '/home/nobody/.aws/config': '[profile other]\nregion = us-west-2\n' });
  const instances = createInstances({ env, host, config });
  const prod = { cloud: 'aws', key: 'aws/prod' };
  await t.rejects(look(instances, prod, [nodeOf(ours)]), { kind: 'misconfigured', message: /no profile nobody/ });
});

await t.test('keys that are refused are asked for anew', async (t) => {
  const instances = createInstances({ env: keyless, host: fakeHost({}), config: awsConfig });
  const west = { cloud: 'aws', key: 'aws/us-west-2' };
  await look(instances, west, [nodeOf(ours)]);
  const { accessKeys } = await lab.state();
  const over = Object.values(accessKeys).map((key): [string, AccessKey] => [
    key.accessKeyId,
    { ...key, expiresAtMs: 1 },
  ]);
  await lab.update({ accessKeys: Object.fromEntries(over) });
  await t.rejects(look(instances, west, [nodeOf(ours)]), {
    kind: 'denied',
    message: /credentials, which have expired/,
  });
  t.match(await look(instances, west, [nodeOf(ours)]), [{ status: 'running' }]);
});

await t.test('credentials that can no longer be renewed are used until their end', async (t) => {
  const instances = createInstances({ env: keyless, host: fakeHost({}), config: awsConfig });
  const west = { cloud: 'aws', key: 'aws/us-west-2' };
  await look(instances, west, [nodeOf(ours)]);
  await lab.addFault({ service: 'imds', kind: 'status', status: 500 });
  t.match(await look(instances, west, [nodeOf(ours)]), [{ status: 'running' }]);
});
