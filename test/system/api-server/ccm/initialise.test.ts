import type { Node } from '../../../../schemas/kubernetes.ts';
import { quickFlags, startController } from './controller-process.ts';
import { isInitialised, register, untilNode, untilWarned, writesTo } from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import { launchInstances, providerIdOf, untilLookedUp } from './environment.ts';

const zoneLabel = 'topology.kubernetes.io/zone';

await onCluster('new Nodes are initialised with two writes each, and kept true', async (t, world) => {
  const [byId, byName, bare] = await launchInstances(world, 3, 1);
  if (!byId || !byName || !bare) throw new Error('a fleet of three has three instances');
  await register(world, { name: 'by-id', providerID: providerIdOf(byId), isReady: true, isNew: true });
  await register(world, { name: byName.privateDnsName, isReady: true, isNew: true });
  await register(world, { name: 'own-name', isReady: true, isNew: true });
  const { output: said } = await startController(world, { deletion: {}, flags: quickFlags });

  for (const [name, instance] of [['by-id', byId] as const, [byName.privateDnsName, byName] as const]) {
    await t.test(name, async (t) => {
      const node = await untilNode(world, name, 'initialised', isInitialised);
      t.equal(node.spec.providerID, providerIdOf(instance));
      t.equal(node.metadata.labels?.[zoneLabel], instance.zone);
      t.match(node.status.addresses, [{ type: 'InternalIP', address: instance.interfaces[0]?.privateIps[0] }]);
      // Whatever is written in a further round is in the audit log by the time that the next one asks.
      await untilLookedUp(world, 3, instance.instanceId);
      const writes = await writesTo(world, name);
      t.strictSame(
        writes.map(({ verb, objectRef }) => [verb, objectRef?.subresource]),
        [
          ['patch', 'status'],
          ['patch', undefined],
        ],
        'addresses, then the rest, then nothing more',
      );
      t.match(writes[0]?.requestObject, { status: { addresses: [{ type: 'InternalIP' }] } });
      t.ok(isInitialised(writes[1]?.requestObject as Node), 'the taint goes last');
      const line = `"Node initialised" node="${name}" uid="[^"]+" providerID="${node.spec.providerID ?? ''}" changes=`;
      t.match(said(), new RegExp(line));
    });
  }

  await t.test('what was taken away comes back, with one write', async (t) => {
    const before = (await writesTo(world, 'by-id')).length;
    await world.plane.ask('PATCH', '/api/v1/nodes/by-id', { metadata: { labels: { [zoneLabel]: null } } });
    await untilNode(world, 'by-id', 'has its zone again', hasZone);
    await untilLookedUp(world, 2, byId.instanceId);
    t.equal((await writesTo(world, 'by-id')).length, before + 1);
    t.match(said(), /"Node updated" node="by-id" .* changes=\["set label topology.kubernetes.io\/zone=us-west-2\w"\]/);
  });

  await t.test('a name without an instance keeps the taint and reports why', async (t) => {
    const warning = await untilWarned(world, 'own-name');
    t.match(warning, { reason: 'NodeInitFailed', message: /private DNS name is own-name; hint: / });
    t.notOk(isInitialised(await untilNode(world, 'own-name', 'still there', () => true)));
    t.strictSame(await writesTo(world, 'own-name'), []);
    t.equal(said().split('"Node cannot be synced" node="own-name"').length - 1, 1, 'once');
  });
});

function hasZone({ metadata }: Node): boolean {
  return metadata.labels?.[zoneLabel] !== undefined;
}
