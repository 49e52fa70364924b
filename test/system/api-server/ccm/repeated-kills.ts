import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Ec2Instance } from '../../../lab/clouds/aws/ec2-instance.ts';
import type { AuditEvent } from '../../../lab/control-plane/audit.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import type { Random } from '../../../support/random.ts';
import { quickFlags, startController } from './controller-process.ts';
import type { ControllerProcess } from './controller-process.ts';
import { isInitialised, readNodes, register, registerKnown, setReady, writesTo } from './nodes.ts';
import { endCloudFailures, cloudFailures } from './cloud-failures.ts';
import { launchInstances, providerIdOf, terminateInstance, removeInstance } from './environment.ts';
import type { TestEnvironment } from './environment.ts';

export interface KillPlan {
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
const fastElectionFlags = [
  ['--leader-elect-lease-duration', '2s'],
  ['--leader-elect-renew-deadline', '1500ms'],
  ['--leader-elect-retry-period', '300ms'],
].flat();
const settings = { deletion, flags: [...quickFlags, ...fastElectionFlags] };
const maxLifeMs = 2_000;
const doneTimeoutMs = 60_000;

/** Two replicas, of which one is killed again and again while instances come, go and are lied about. */
export async function killRepeatedly(
  t: Test,
  environment: TestEnvironment,
  { kills, random }: KillPlan,
): Promise<void> {
  const rounds = await prepareRounds(environment, kills);
  const replicas = await Promise.all([startController(environment, settings), startController(environment, settings)]);
  const silentIds = rounds.map((round) => round.silent.instance.instanceId);
  for (const round of rounds) {
    await endCloudFailures(environment);
    // The worst of all lies: the others are found, and these are not.
    if (random.chance(0.5)) await environment.aws.update({ ec2: { leftOut: silentIds } });
    else await random.pick(cloudFailures).begin(environment, round.silent.instance);
    await applyEvents(environment, round, random);
    await setTimeout(random.between(0, maxLifeMs));
    await killOne(environment, replicas, random);
  }
  await endCloudFailures(environment);
  const endingUids = rounds.map(({ ending: { uid } }) => uid);
  await waitUntil({ what: 'everything done', withinMs: doneTimeoutMs, everyMs: 100 }, async () => {
    const nodes = await readNodes(environment);
    return (
      (!nodes.some(({ metadata }) => endingUids.includes(metadata.uid)) && nodes.every(isInitialised)) || undefined
    );
  });
  await check(t, environment, rounds);
}

interface Member {
  readonly name: string;
  readonly instance: Ec2Instance;
  readonly uid: string;
}

/** What happens in one life of the controller. */
interface Round {
  readonly ending: Member;
  endedAtMs?: number;
  /** Not Ready all the time, and there. */
  readonly silent: Member;
  /** Registers in this life. */
  readonly newcomer: { readonly name: string; readonly instance: Ec2Instance };
}

const awakeCount = 3;

async function prepareRounds(environment: TestEnvironment, kills: number): Promise<readonly Round[]> {
  const instances = await launchInstances(environment, awakeCount + kills * 3, 14);
  const awake = instances.slice(0, awakeCount);
  await Promise.all(
    awake.map((instance, index) => registerKnown(environment, `awake-${String(index)}`, instance, true)),
  );
  const instancesByRound = Array.from({ length: kills }, (_, life) =>
    instances.slice(awakeCount + life * 3, awakeCount + life * 3 + 3),
  );
  return Promise.all(instancesByRound.map((three, life) => prepareRound(environment, three, life)));
}

async function prepareRound(
  environment: TestEnvironment,
  instances: readonly Ec2Instance[],
  round: number,
): Promise<Round> {
  const [ending, silent, newcomer] = instances;
  if (!ending || !silent || !newcomer) throw new Error('three instances for each life');
  const member = async (name: string, instance: Ec2Instance, isReady: boolean): Promise<Member> => {
    const { metadata } = await registerKnown(environment, name, instance, isReady);
    return { name, instance, uid: metadata.uid };
  };
  return {
    ending: await member(`doomed-${String(round)}`, ending, true),
    silent: await member(`silent-${String(round)}`, silent, false),
    newcomer: { name: `fresh-${String(round)}`, instance: newcomer },
  };
}

async function applyEvents(environment: TestEnvironment, round: Round, random: Random): Promise<void> {
  const { ending, newcomer } = round;
  const end = random.pick([terminateInstance, removeInstance]);
  round.endedAtMs = Date.now();
  await end(environment, ending.instance);
  await setReady(environment, ending.name, false);
  const { name, instance } = newcomer;
  await register(environment, { name, providerID: providerIdOf(instance), isReady: true, isNew: true });
}

async function killOne(environment: TestEnvironment, replicas: ControllerProcess[], random: Random): Promise<void> {
  const which = random.between(0, replicas.length - 1);
  await replicas[which]?.kill();
  replicas[which] = await startController(environment, settings);
}

/** A deletion whose sender was killed may have happened or not, whatever the audit log has. */
async function check(t: Test, environment: TestEnvironment, rounds: readonly Round[]): Promise<void> {
  const deletions = (await writesTo(environment, undefined)).filter(({ verb }) => verb === 'delete');
  const ending = new Map(rounds.map((round) => [round.ending.uid, round]));
  const early = deletions.filter((event) => {
    const endedAtMs = ending.get(uidIn(event))?.endedAtMs ?? Infinity;
    return Date.parse(event.requestReceivedTimestamp) < endedAtMs;
  });
  t.strictSame(early, [], 'no other Node was deleted, and none before its instance ended');
  t.strictSame(new Set(deletions.map(uidIn)), new Set(ending.keys()), 'each that is gone was deleted by us');
  const left = new Set((await readNodes(environment)).map(({ metadata }) => metadata.name));
  const stayed = rounds.flatMap(({ silent, newcomer }) => [silent.name, newcomer.name]);
  const awake = Array.from({ length: awakeCount }, (_, index) => `awake-${String(index)}`);
  t.strictSame(left, new Set([...stayed, ...awake]), 'everybody else is there');
}

function uidIn({ requestObject }: AuditEvent): string {
  return (requestObject as DeleteOptions).preconditions?.uid ?? 'none';
}

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string };
}
