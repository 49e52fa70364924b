import { setTimeout } from 'node:timers/promises';
import { quickFlags, startController } from './controller-process.ts';
import { deletionsBy, namesOf, readNode, registerKnown, untilDeleted } from './nodes.ts';
import { isFull, onOwnCluster } from './on-cluster.ts';
import { changeInstance, launchInstances, terminateInstance, untilLookedUp, removeInstance } from './environment.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0, breakerNodes: 1_000 };
/** Longer than the 10 s after which a leader gives up its lease. */
const outageMs = isFull ? 120_000 : 12_000;

await onOwnCluster(`an API server that is away for ${outageMs / 1_000} s`, async (t, world, plane) => {
  const names = ['awake', 'silent', 'ended', 'lost', 'returning'] as const;
  const fleet = await launchInstances(world, names.length, 11);
  const byName = Object.fromEntries(names.map((name, index) => [name, fleet[index]]));
  const { silent, ended, lost, returning } = byName;
  if (!silent || !ended || !lost || !returning) throw new Error('the fleet is too small');
  for (const [index, name] of names.entries()) {
    const instance = fleet[index];
    if (instance) await registerKnown(world, name, instance, name === 'awake');
  }
  const controller = await startController(world, { deletion, flags: quickFlags });
  await untilLookedUp(world, 3, silent.instanceId);

  await plane.killApiServer();
  await terminateInstance(world, ended);
  await removeInstance(world, lost);
  await removeInstance(world, returning);
  // The leader still leads for a while, and cannot carry out what it decides.
  await untilLookedUp(world, 1, returning.instanceId);
  await setTimeout(outageMs);
  t.notOk(controller.hasEnded(), 'the process lives on');
  t.equal((await controller.page('/livez')).status, 200, 'and no probe ends it');
  t.match(controller.output(), /The Lease is lost/);
  await changeInstance(world, returning, { state: 'running' });
  await plane.startApiServer();

  await Promise.all(['ended', 'lost'].map((name) => untilDeleted(world, name)));
  await untilLookedUp(world, 5, returning.instanceId);
  for (const name of ['awake', 'silent', 'returning']) t.ok(await readNode(world, name), `${name} is kept`);
  t.strictSame(namesOf(await deletionsBy(world)), ['ended', 'lost']);
  t.notOk(controller.hasEnded(), 'the very same process');
});
