import t from 'tap';
import type { NodeFacts } from '../../../../clouds/cloud.ts';
import { labVm, labVms } from '../../../lab/clouds/vsphere/state.ts';
import { twoVcenters } from '../config.ts';
import { labelsOf, lookUpOne, nodeOf, scopeA, scopeB, startVcenterLab } from '../vcenter-lab.ts';

const { lab, instances, context, change, methods } = await startVcenterLab(t);
const vm = labVm(1);
t.beforeEach(() => lab.reset());

await t.test('1,000 machines take few calls, and fewer later', async (t) => {
  await change('a', { vms: labVms(1_000) });
  const cloud = instances();
  const nodes = Object.values(labVms(1_000)).map((each) => nodeOf(each));
  const results = await cloud.lookUp(scopeA, { nodes, verify: [] }, context());
  t.equal([...results.values()].filter(({ status }) => status === 'running').length, 1_000);
  t.strictSame(await methods('a'), [
    'RetrieveServiceContent',
    'Login',
    'CreateContainerView',
    'RetrievePropertiesEx',
    'ContinueRetrievePropertiesEx',
  ]);
});

await t.test('of many missing machines each look-up asks for some, chosen anew', async (t) => {
  await change('a', { vms: labVms(10) });
  const nodes = Object.entries(labVms(210)).map(([id, each]) => nodeOf(each, labelsOf('a', id)));
  const results = await instances().lookUp(scopeA, { nodes, verify: nodes.slice(0, 2) }, context());
  const count = (status: string): number => [...results.values()].filter((each) => each.status === status).length;
  t.strictSame([count('running'), count('not-found'), count('unknown')], [10, 40, 160]);
});

await t.test('two vCenters', async (t) => {
  const home = (name: string): Partial<NodeFacts> => ({ labels: { 'polycloud.dev/vsphere-vcenter': name } });
  const found = (name: string): object => ({
    status: 'running',
    instance: { labels: { 'polycloud.dev/vsphere-vcenter': name } },
  });
  t.beforeEach(async () => {
    await change('a', { vms: { 'vm-1': vm } });
    await change('b', { vms: { 'vm-1': labVm(2) } });
  });

  await t.test('a node without a label is found in either, and gets the label', async (t) => {
    const cloud = instances(twoVcenters);
    for (const scope of [scopeA, scopeB]) {
      t.match(await lookUpOne(cloud, nodeOf(vm), context(), scope), found('a'));
      t.match(await lookUpOne(cloud, nodeOf(labVm(2)), context(), scope), found('b'));
    }
  });

  await t.test('a machine that moved is found where it is now', async (t) => {
    t.match(await lookUpOne(instances(twoVcenters), nodeOf(vm, home('b')), context(), scopeB), found('a'));
  });

  await t.test('while one is away, its machines are unknown, and those of the other are found', async (t) => {
    await lab.addFault({ service: 'b', kind: 'reset' });
    const cloud = instances(twoVcenters);
    t.match(await lookUpOne(cloud, nodeOf(vm, home('a')), context()), found('a'));
    t.match(await lookUpOne(cloud, nodeOf(vm), context()), found('a'));
    t.match(await lookUpOne(cloud, nodeOf(labVm(2)), context()), { status: 'unknown' });
    t.match(await lookUpOne(cloud, nodeOf(labVm(2), home('a')), context()), { status: 'unknown' });
    await t.rejects(lookUpOne(cloud, nodeOf(labVm(2), home('b')), context(), scopeB), { message: /b\.vcenter\.lab/ });
  });

  await t.test('a machine is gone only if both say so, and both show that they see others', async (t) => {
    const gone = nodeOf(labVm(9), labelsOf('a', 'vm-9'));
    const cloud = instances(twoVcenters);
    t.match(await lookUpOne(cloud, gone, context()), {
      status: 'not-found',
      evidence: /FindAllByUuid of a\.vcenter\.lab, b\.vcenter\.lab/,
    });
    await change('b', { hidden: 'all', roles: [-5] });
    t.match(await lookUpOne(instances(twoVcenters), gone, context()), { status: 'unknown' });
  });

  await t.test('the home decides about two copies, and without one they are ambiguous', async (t) => {
    await change('b', { vms: { 'vm-1': vm } });
    const cloud = instances(twoVcenters);
    t.match(await lookUpOne(cloud, nodeOf(vm, home('b')), context(), scopeB), found('b'));
    for (const scope of [scopeA, scopeB]) {
      t.match(await lookUpOne(cloud, nodeOf(vm), context(), scope), { status: 'ambiguous' });
    }
  });

  await t.test('among many, one list of each vCenter is enough', async (t) => {
    await change('a', { vms: labVms(50) });
    const ofB = Object.fromEntries(Object.entries(labVms(100)).slice(50));
    await change('b', { vms: ofB });
    const nodes = Object.values(labVms(100)).map((each) => nodeOf(each));
    const cloud = instances(twoVcenters);
    const all = await Promise.all(
      [scopeA, scopeB].map((scope) => cloud.lookUp(scope, { nodes, verify: [] }, context())),
    );
    for (const results of all) t.ok([...results.values()].every(({ status }) => status === 'running'));
    t.equal((await methods('a')).length + (await methods('b')).length, 8);
  });
});
