import type { Node } from '../../../../schemas/kubernetes.ts';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { usualEc2Behaviour } from '../../../lab/clouds/aws/ec2-instance.ts';
import { quickFlags, startController } from './controller-process.ts';
import { deletionsBy, hasReport, isInitialised, readNode, register, registerKnown, untilNode } from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import { changeInstance, launchInstances, providerIdOf, terminateInstance, untilLookedUp } from './environment.ts';

/**
 * What another controller was seen to delete Nodes for. Empty lists, ids that are left out and another account's
 * credentials are in cloud-troubles.test.ts too, most of the fleet gone at once is in breaker.test.ts.
 */
await onCluster('what has cost others live Nodes costs none', async (t, world) => {
  const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };
  const [awake, silent, misnamed, untagged, replaced, replacing] = await launchInstances(world, 6, 8);
  const [abroad] = await launchInstances({ ...world, region: 'eu-west-1' }, 1, 9);
  if (!awake || !silent || !misnamed || !untagged || !replaced || !replacing || !abroad) throw new Error('too few');
  await registerKnown(world, 'awake', awake, true);
  await registerKnown(world, 'silent', silent, false);
  await startController(world, { deletion, flags: quickFlags });

  await t.test('DescribeInstances answers 200 with an empty list, time and again', async (t) => {
    for (let times = 0; times < 8; times += 1) {
      await world.aws.update({ ec2: { answers: 'empty' } });
      await untilLookedUp(world, 1, silent.instanceId);
      await world.aws.update({ ec2: usualEc2Behaviour });
      await untilLookedUp(world, 1, silent.instanceId);
    }
    t.ok(await readNode(world, 'silent'));
  });

  await t.test('the zone of the providerID is in another region', async (t) => {
    await registerKnown(world, 'abroad', abroad, false);
    await registerKnown(world, 'misnamed', { ...misnamed, zone: 'eu-west-1a' }, false);
    await untilLookedUp(world, 5, abroad.instanceId);
    await untilLookedUp(world, 10, misnamed.instanceId);
    t.ok(await readNode(world, 'abroad'), 'it is asked for where it is');
    t.ok(await readNode(world, 'misnamed'), 'where its zone is wrong, our own region is asked as well');
  });

  const nameless: readonly (readonly [what: string, name: string, asks: string])[] = [
    ['a host name of its own', 'worker-1.example.com', 'worker-1.example.com'],
    ['bare metal', 'rack-7', 'rack-7'],
    ['an instance without tags, which gets its providerID', untagged.privateDnsName, untagged.instanceId],
    ['a name that EC2 answers with an empty list for', dnsNameOf(99), dnsNameOf(99)],
  ];
  await t.test('no providerID', async (t) => {
    for (const [what, name, asks] of nameless) {
      await t.test(what, async (t) => {
        const { metadata } = await register(world, { name, isReady: false, isNew: false });
        await untilLookedUp(world, 3, asks);
        t.equal((await readNode(world, name))?.metadata.uid, metadata.uid);
      });
    }
  });

  await t.test('a young node whose instance EC2 shows only later', async (t) => {
    const [young] = await launchInstances(world, 1, 7);
    if (!young) throw new Error('a fleet of one has one instance');
    await world.aws.update({ ec2: { invisibleForMs: 4_000 } });
    await changeInstance(world, young, { launchedAtMs: Date.now() });
    const wishes = { name: 'young', providerID: providerIdOf(young), isReady: false, isNew: true };
    const { metadata } = await register(world, wishes);
    await untilLookedUp(world, 2, young.instanceId);
    const node = await untilNode(world, 'young', 'initialised', isInitialised);
    t.equal(node.metadata.uid, metadata.uid, 'the very same Node');
  });

  await t.test('replaced under the same name while a look-up is under way', async (t) => {
    const first = await registerKnown(world, 'swapped', replaced, true);
    await untilLookedUp(world, 1, replaced.instanceId);
    const { metadata } = await swapDuringLookUp(replaced, replacing);
    t.not(metadata.uid, first.metadata.uid);
    t.equal((await readNode(world, 'swapped'))?.metadata.uid, metadata.uid);
  });

  t.strictSame(await deletionsBy(world), [], 'nothing was deleted');

  async function swapDuringLookUp(before: Ec2Instance, after: Ec2Instance): Promise<Node> {
    await world.aws.addFault({ service: 'ec2', kind: 'delay', delayMs: 1_000 });
    await terminateInstance(world, before);
    await world.plane.ask('PATCH', '/api/v1/nodes/swapped/status', { status: { conditions: [] } });
    await untilNode(world, 'swapped', 'reported', (node) => hasReport(node, 'InstanceGone'));
    await untilLookedUp(world, 1, before.instanceId);
    await world.plane.ask('DELETE', '/api/v1/nodes/swapped');
    const node = await registerKnown(world, 'swapped', after, false);
    await untilLookedUp(world, 4, after.instanceId);
    await world.aws.clearFaults();
    return node;
  }
});

function dnsNameOf(last: number): string {
  return `ip-10-8-77-${String(last)}.us-west-2.compute.internal`;
}
