import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Ec2Instance } from '../../lab/clouds/aws/ec2-instance.ts';
import type { AuditEvent } from '../../lab/control-plane/audit.ts';
import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import type { Random } from '../../support/random.ts';
import { quickFlags, startController } from '../../system/api-server/ccm/controller-process.ts';
import type { ControllerProcessSettings, ControllerProcess } from '../../system/api-server/ccm/controller-process.ts';
import {
  isInitialised,
  readNodes,
  register,
  registerKnown,
  setReady,
  writesTo,
} from '../../system/api-server/ccm/nodes.ts';
import { endCloudFailures, cloudFailures } from '../../system/api-server/ccm/cloud-failures.ts';
import {
  launchInstances,
  providerIdOf,
  terminateInstance,
  removeInstance,
} from '../../system/api-server/ccm/environment.ts';
import type { TestEnvironment } from '../../system/api-server/ccm/environment.ts';
import { untilDone } from './faults.ts';
import type { ChaosFault } from './faults.ts';

const deletion = {
  sightingsApartMs: 50,
  notFoundSpanMs: 200,
  notFoundMinAgeMs: 0,
  breakerNodes: 1_000,
  terminatedNodesPerWindow: 1_000,
};
const quickElection = [
  ['--leader-elect-lease-duration', '3s'],
  ['--leader-elect-renew-deadline', '2s'],
  ['--leader-elect-retry-period', '500ms'],
].flat();

interface ChaosNode {
  readonly name: string;
  readonly instance: Ec2Instance;
  readonly uid: string;
}

/** Two replicas, and Nodes to which something happens. */
export interface Controllers {
  readonly faults: readonly (readonly ChaosFault[])[];
  pids(): readonly number[];
  /** Instances end and new Nodes register, at random moments until then. */
  run(random: Random, endsAtMs: number): Promise<void>;
  /** In the end everything is as it should be. */
  check(t: Test): Promise<void>;
}

const awakeCount = 3;
const silentCount = 3;
const endingCount = 12;
const allDoneWithinMs = 60_000;

export async function startControllers(
  world: TestEnvironment,
  overrides: Pick<ControllerProcessSettings, 'env'>,
): Promise<Controllers> {
  const instances = await launchInstances(world, awakeCount + silentCount + 2 * endingCount, 14);
  const member = async (name: string, index: number, isReady: boolean): Promise<ChaosNode> => {
    const instance = at(instances, index);
    const { metadata } = await registerKnown(world, name, instance, isReady);
    return { name, instance, uid: metadata.uid };
  };
  const many = (count: number, name: string, from: number, isReady: boolean): Promise<readonly ChaosNode[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => member(`${name}-${index}`, from + index, isReady)));
  const awake = await many(awakeCount, 'awake', 0, true);
  const silent = await many(silentCount, 'silent', awakeCount, false);
  const endingNodes = await many(endingCount, 'doomed', awakeCount + silentCount, true);
  const fresh = instances.slice(-endingCount);
  const start = (): Promise<ControllerProcess> =>
    startController(world, { deletion, flags: [...quickFlags, ...quickElection], ...overrides });
  const replicas = [await start(), await start()];
  const endedAtMs = new Map<string, number>();

  return {
    faults: [...signals(replicas, start).map((fault) => [fault]), ec2Faults(world, at(silent, 0).instance)],
    pids: () => replicas.map(({ pid }) => pid),
    run: async (random, endsAtMs) => {
      const everyMs = (endsAtMs - performance.now()) / endingCount;
      for (const [index, { name: doomedName, uid, instance: ending }] of endingNodes.entries()) {
        await setTimeout(random.between(0, everyMs));
        endedAtMs.set(uid, Date.now());
        await random.pick([terminateInstance, removeInstance])(world, ending);
        await untilDone(() => setReady(world, doomedName, false));
        const [name, instance] = [`fresh-${index}`, at(fresh, index)];
        const wishes = { name, providerID: providerIdOf(instance), isReady: true, isNew: true };
        await untilDone(async () => {
          const known = (await readNodes(world)).some(({ metadata }) => metadata.name === name);
          if (!known) await register(world, wishes);
        });
      }
    },
    check: async (t) => {
      await waitUntil({ what: 'everything done', withinMs: allDoneWithinMs, everyMs: 200 }, async () => {
        const nodes = await readNodes(world);
        const isGone = !nodes.some(({ metadata }) => endedAtMs.has(metadata.uid));
        return (isGone && nodes.every(isInitialised)) || undefined;
      });
      const asked = (await writesTo(world, undefined)).filter(({ verb }) => verb === 'delete');
      const early = (event: AuditEvent): boolean =>
        Date.parse(event.requestReceivedTimestamp) < (endedAtMs.get(uidIn(event)) ?? Infinity);
      t.strictSame(asked.filter(early), [], 'no deletion of a Node whose instance was there');
      t.strictSame(
        new Set(asked.map(uidIn)),
        new Set(endedAtMs.keys()),
        'each Node whose instance ended was deleted by us',
      );
      const left = new Set((await readNodes(world)).map(({ metadata }) => metadata.name));
      const kept = [...awake, ...silent].map(({ name }) => name);
      const expected = [...kept, ...fresh.map((_, index) => `fresh-${index}`)];
      for (const name of expected) t.ok(left.has(name), `${name} is there`);
    },
  };
}

function at<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new Error('the fleet is too small');
  return found;
}

function uidIn({ requestObject }: AuditEvent): string {
  return (requestObject as { readonly preconditions?: { readonly uid?: string } }).preconditions?.uid ?? 'none';
}

/** What is done to the processes. Each fault ends what it began, whatever happened to the list in between. */
function signals(replicas: ControllerProcess[], start: () => Promise<ControllerProcess>): readonly ChaosFault[] {
  let chosen = 0;
  return [
    {
      name: 'a controller is stopped (SIGSTOP)',
      begin: async (random) => replicas[(chosen = random.between(0, 1))]?.signal('SIGSTOP'),
      end: async () => replicas[chosen]?.signal('SIGCONT'),
    },
    {
      name: 'a controller is killed (SIGKILL)',
      begin: async (random) => replicas[(chosen = random.between(0, 1))]?.kill(),
      end: async () => {
        replicas[chosen] = await start();
      },
    },
  ];
}

function ec2Faults(world: TestEnvironment, instance: Ec2Instance): readonly ChaosFault[] {
  return cloudFailures.map(({ name, begin }) => ({
    name: `EC2: ${name}`,
    begin: () => begin(world, instance),
    end: () => endCloudFailures(world),
  }));
}
