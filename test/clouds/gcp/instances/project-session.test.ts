import t from 'tap';
import { computeFleetOf } from '../../../lab/clouds/gcp/compute-instance.ts';
import type { ComputeInstance } from '../../../lab/clouds/gcp/compute-instance.ts';
import { getInstances, listInstances, podAccount } from '../../../lab/clouds/gcp/state.ts';
import type { Scope } from '../../../../clouds/cloud.ts';
import { lookUp, nodeOf, ownScope, startComputeLab } from '../compute-lab.ts';

const { lab, instances: create, context } = await startComputeLab(t);
const zones = ['us-central1-a'];
const ours = computeFleetOf({ count: 1, project: 'lab-project', zones, number: 0 });
const theirs = computeFleetOf({ count: 1, project: 'other-project', zones, number: 1 });
const [our] = Object.values(ours) as [ComputeInstance];
const [their] = Object.values(theirs) as [ComputeInstance];
const prod: Scope = { cloud: 'gcp', key: 'gcp/prod' };
const other: Scope = { cloud: 'gcp', key: 'gcp/other' };

t.beforeEach(async () => {
  await lab.reset();
  await lab.update({ computeInstances: { ...ours, ...theirs } });
});

await t.test('a token is requested once, and again when it is refused', async (t) => {
  const instances = create({});
  const tokenCount = async (): Promise<number> =>
    (await lab.requests()).filter(({ path }) => path.endsWith('/token')).length;
  await Promise.all([1, 2, 3].map(() => lookUp(instances, [nodeOf(our)], context())));
  t.equal(await tokenCount(), 1);
  const { accessTokens } = await lab.state();
  const ended = Object.entries(accessTokens).map(([token, issued]) => [token, { ...issued, expiresAtMs: 1 }] as const);
  await lab.update({ accessTokens: Object.fromEntries(ended) });
  await t.rejects(lookUp(instances, [nodeOf(our)], context()), {
    kind: 'denied',
    message: /does not accept the token/,
  });
  t.match(await lookUp(instances, [nodeOf(our)], context()), [{ status: 'running' }]);
  t.equal(await tokenCount(), 2);
});

await t.test('several projects, one of them with a service account of its own', async (t) => {
  const account = (await lab.state()).serviceAccounts[podAccount];
  if (account === undefined) throw new Error('the lab has no such account');
  await lab.update({ serviceAccounts: { [podAccount]: { ...account, permissions: [getInstances, listInstances] } } });
  const instances = create({
    projects: [
      { name: 'prod', projectId: 'lab-project' },
      { name: 'other', projectId: 'other-project', serviceAccount: podAccount },
    ],
  });
  t.strictSame(instances.scopesOf(nodeOf(their)), [other]);
  const nodes = [nodeOf(our), nodeOf(their)];
  const inProd = await instances.lookUp(prod, { nodes, verify: [] }, context());
  t.same(
    nodes.map(({ uid }) => inProd.get(uid)?.status),
    ['running', 'unknown'],
  );
  const inOther = await instances.lookUp(other, { nodes, verify: [] }, context());
  t.same(
    nodes.map(({ uid }) => inOther.get(uid)?.status),
    ['unknown', 'running'],
  );
  t.ok((await lab.requests()).some(({ service }) => service === 'iam-credentials'));
});

await t.test('a node of another project than the own one is not looked up', async (t) => {
  const ofSameName = nodeOf({ ...our, project: 'other-project' });
  t.match(await lookUp(create({}), [nodeOf(our), nodeOf(their), ofSameName], context()), [
    { status: 'running' },
    { status: 'unknown', failure: { kind: 'misconfigured', remedy: /gcp\.projects/ } },
    { status: 'unknown', failure: { kind: 'misconfigured', remedy: /gcp\.projects/ } },
  ]);
});

await t.test('what is denied names the permission and who lacks it', async (t) => {
  const instances = create({ projects: [{ name: 'prod', projectId: 'lab-project', serviceAccount: podAccount }] });
  await t.rejects(instances.lookUp(prod, { nodes: [nodeOf(our)], verify: [] }, context()), {
    kind: 'denied',
    message: /denied compute\.instances\.get to lab-pod@/,
    remedy: /roles\/compute\.viewer/,
  });
});

await t.test('access is verified by a list of every zone', async (t) => {
  t.equal(await create({}).verifyAccess(ownScope, context()), true);
  await lab.update({ compute: { unreachableZones: ['us-central1-b'] } });
  t.equal(await create({}).verifyAccess(ownScope, context()), false);
  t.equal(await create({}).verifyAccess({ cloud: 'gcp', key: 'gcp/nowhere' }, context()), false);
});
