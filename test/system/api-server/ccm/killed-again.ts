import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { Random } from '../../../support/random.ts';
import { quickFlags, startController } from './controller.ts';
import type { RunningController } from './controller.ts';
import { isInitialised, readNodes, register, registerKnown, setReady, writesTo } from './nodes.ts';
import { endTrouble, troubles } from './troubles.ts';
import { launch, providerIdOf, terminate, vanish } from './world.ts';
import type { World } from './world.ts';

export interface Lives {
  readonly kills: number;
  readonly random: Random;
}

const deletion = {
  sightingsApartMs: 50,
  notFoundSpanMs: 200,
  notFoundMinAgeMs: 0,
  breakerNodes: 1_000,
  terminatedNodesPerWindow: 1_000,
};
const quickElection = [
  ['--leader-elect-lease-duration', '2s'],
  ['--leader-elect-renew-deadline', '1500ms'],
  ['--leader-elect-retry-period', '300ms'],
].flat();
const wishes = { deletion, flags: [...quickFlags, ...quickElection] };
const longestLifeMs = 2_000;
const allDoneWithinMs = 60_000;

/** Two replicas, of which one is killed again and again while instances come, go and are lied about. */
export async function livesOn(t: Test, world: World, { kills, random }: Lives): Promise<void> {
  const fates = await settleFates(world, kills);
  const replicas = await Promise.all([startController(world, wishes), startController(world, wishes)]);
  const silent = fates.map((fate) => fate.silent.instance.instanceId);
  for (const fate of fates) {
    await endTrouble(world);
    // The worst of all lies: the others are found, and these are not.
    if (random.chance(0.5)) await world.aws.update({ ec2: { leftOut: silent } });
    else await random.pick(troubles).begin(world, fate.silent.instance);
    await befall(world, fate, random);
    await setTimeout(random.between(0, longestLifeMs));
    await killOne(world, replicas, random);
  }
  await endTrouble(world);
  const doomed = fates.map(({ doomed: { uid } }) => uid);
  await waitUntil({ what: 'everything done', withinMs: allDoneWithinMs, everyMs: 100 }, async () => {
    const nodes = await readNodes(world);
    return (!nodes.some(({ metadata }) => doomed.includes(metadata.uid)) && nodes.every(isInitialised)) || undefined;
  });
  await check(t, world, fates);
}

interface Member {
  readonly name: string;
  readonly instance: Ec2Instance;
  readonly uid: string;
}

/** What happens in one life of the controller. */
interface Fate {
  readonly doomed: Member;
  doomedAtMs?: number;
  /** Not Ready all the time, and there. */
  readonly silent: Member;
  /** Registers in this life. */
  readonly fresh: { readonly name: string; readonly instance: Ec2Instance };
}

const awakeCount = 3;

async function settleFates(world: World, kills: number): Promise<readonly Fate[]> {
  const instances = await launch(world, awakeCount + kills * 3, 14);
  const awake = instances.slice(0, awakeCount);
  await Promise.all(awake.map((instance, index) => registerKnown(world, `awake-${String(index)}`, instance, true)));
  const lives = Array.from({ length: kills }, (_, life) =>
    instances.slice(awakeCount + life * 3, awakeCount + life * 3 + 3),
  );
  return Promise.all(lives.map((three, life) => settleFate(world, three, life)));
}

async function settleFate(world: World, instances: readonly Ec2Instance[], life: number): Promise<Fate> {
  const [doomed, silent, fresh] = instances;
  if (!doomed || !silent || !fresh) throw new Error('three instances for each life');
  const member = async (name: string, instance: Ec2Instance, isReady: boolean): Promise<Member> => {
    const { metadata } = await registerKnown(world, name, instance, isReady);
    return { name, instance, uid: metadata.uid };
  };
  return {
    doomed: await member(`doomed-${String(life)}`, doomed, true),
    silent: await member(`silent-${String(life)}`, silent, false),
    fresh: { name: `fresh-${String(life)}`, instance: fresh },
  };
}

async function befall(world: World, fate: Fate, random: Random): Promise<void> {
  const { doomed, fresh } = fate;
  const end = random.pick([terminate, vanish]);
  fate.doomedAtMs = Date.now();
  await end(world, doomed.instance);
  await setReady(world, doomed.name, false);
  const { name, instance } = fresh;
  await register(world, { name, providerID: providerIdOf(instance), isReady: true, isNew: true });
}

async function killOne(world: World, replicas: RunningController[], random: Random): Promise<void> {
  const which = random.between(0, replicas.length - 1);
  await replicas[which]?.kill();
  replicas[which] = await startController(world, wishes);
}

/** A deletion whose sender was killed meanwhile is carried out or not, whatever the audit log says of it. */
async function check(t: Test, world: World, fates: readonly Fate[]): Promise<void> {
  const asked = (await writesTo(world, undefined)).filter(({ verb }) => verb === 'delete');
  const doomed = new Map(fates.map((fate) => [fate.doomed.uid, fate]));
  const wrong = asked.filter((event) => {
    const doomedAtMs = doomed.get(uidIn(event))?.doomedAtMs ?? Infinity;
    return Date.parse(event.requestReceivedTimestamp) < doomedAtMs;
  });
  t.strictSame(wrong, [], "nobody else's deletion was asked for, and nobody's before its time");
  t.strictSame(new Set(asked.map(uidIn)), new Set(doomed.keys()), 'each that is gone was deleted by us');
  const left = new Set((await readNodes(world)).map(({ metadata }) => metadata.name));
  const stayed = fates.flatMap(({ silent, fresh }) => [silent.name, fresh.name]);
  const awake = Array.from({ length: awakeCount }, (_, index) => `awake-${String(index)}`);
  t.strictSame(left, new Set([...stayed, ...awake]), 'everybody else is there');
}

function uidIn({ requestObject }: AuditEvent): string {
  return (requestObject as DeleteOptions).preconditions?.uid ?? 'none';
}

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string };
}
