import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import { quickFlags, startController } from './controller-process.ts';
import {
  deletionsBy,
  isInitialised,
  namesOf,
  readNodes,
  register,
  registerKnown,
  setReady,
  untilDeleted,
  untilNode,
  writesTo,
} from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import { launchInstances, providerIdOf, terminateInstance, untilLookedUp, removeInstance } from './environment.ts';
import type { TestEnvironment } from './environment.ts';

const deletion = {
  sightingsApartMs: 100,
  notFoundSpanMs: 300,
  notFoundMinAgeMs: 0,
  breakerNodes: 1_000,
  terminatedNodesPerWindow: 1_000,
};
const perKind = 4;

const kinds = ['awake', 'silent', 'ended', 'lost', 'fresh'] as const;

interface Member {
  readonly instance: Ec2Instance;
  readonly kind: (typeof kinds)[number];
  readonly name: string;
}

await onCluster('two leaders at once delete nothing but what is gone', async (t, world) => {
  const fleet = await launchFleet(world);
  const of = (kind: Member['kind']): readonly Member[] => fleet.filter((member) => member.kind === kind);
  const gone = [...of('ended'), ...of('lost')];
  const aRound = (): Promise<unknown> =>
    Promise.all(of('silent').map(({ instance }) => untilLookedUp(world, 6, instance.instanceId)));
  const wishes = { deletion, flags: [...quickFlags, '--leader-elect=false'] };
  const both = await Promise.all([startController(world, wishes), startController(world, wishes)]);
  await aRound();

  for (const { instance } of of('ended')) await terminateInstance(world, instance);
  for (const { instance } of of('lost')) await removeInstance(world, instance);
  for (const { name } of gone) await setReady(world, name, false);
  for (const { name, instance } of of('fresh')) {
    await register(world, { name, providerID: providerIdOf(instance), isReady: true, isNew: true });
  }
  await Promise.all(gone.map(({ name }) => untilDeleted(world, name)));
  for (const { name } of of('fresh')) await untilNode(world, name, 'initialised', isInitialised);
  await aRound();

  const names = (members: readonly Member[]): readonly string[] => members.map(({ name }) => name).toSorted();
  t.strictSame(namesOf(await deletionsBy(world)), names(gone), 'each of them once, and nobody else');
  const left = (await readNodes(world)).map(({ metadata }) => metadata.name).toSorted();
  t.strictSame(left, names(fleet.filter((member) => !gone.includes(member))));
  for (const { page } of both) t.match((await page('/statusz')).text, /^leading, without an election/);

  const before = (await writesTo(world, undefined)).length;
  await aRound();
  t.equal((await writesTo(world, undefined)).length, before, 'neither undoes what the other wrote');
});

/** All of them are there, but for the fresh ones, which register later. */
async function launchFleet(environment: TestEnvironment): Promise<readonly Member[]> {
  const instances = await launchInstances(environment, kinds.length * perKind, 13);
  const members = kinds.flatMap((kind, at) =>
    instances
      .slice(at * perKind, (at + 1) * perKind)
      .map((instance, index) => ({ instance, kind, name: `${kind}-${String(index)}` })),
  );
  for (const { instance, name, kind } of members) {
    if (kind !== 'fresh') await registerKnown(environment, name, instance, kind !== 'silent');
  }
  return members;
}
