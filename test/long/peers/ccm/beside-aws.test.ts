import { readFile } from 'node:fs/promises';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { findAwsController, flagsOfGuide, startAwsController } from './aws-controller.ts';
import { quickFlags, soonMs, startController, untilLogged } from '../../../system/api-server/ccm/controller-process.ts';
import {
  deletionsBy,
  isInitialised,
  namesOf,
  register,
  registerKnown,
  setReady,
  untilDeleted,
  untilNode,
  writesTo,
} from '../../../system/api-server/ccm/nodes.ts';
import { onClusterWith } from '../../../system/api-server/ccm/on-cluster.ts';
import {
  launchInstances,
  providerIdOf,
  terminateInstance,
  untilLookedUp,
} from '../../../system/api-server/ccm/environment.ts';
import type { TestEnvironment } from '../../../system/api-server/ccm/environment.ts';

const deletion = { sightingsApartMs: 300 };
const found = await findAwsController();

await onClusterWith(
  found,
  'beside the controller of AWS for services and routes, nobody fights over Nodes',
  async (t, world) => {
    const [awake, ended, fresh] = await launchInstances(world, 3, 15);
    if (!awake || !ended || !fresh) throw new Error('the fleet is too small');
    await registerKnown(world, 'awake', awake, true);
    await registerKnown(world, 'ended', ended, true);
    const file = found.programs['aws-cloud-controller-manager'];
    const theirs = await startAwsController(t, world, file, await flagsOfGuide());
    const ours = await startController(world, { deletion, flags: quickFlags });
    await untilLogged(ours.output, /"Leading" identity=/, soonMs);
    await createService(world);
    await waitUntil({ what: 'theirs is at work', withinMs: 40_000, everyMs: 200 }, () => isWorkedOn(world)).catch(
      async (cause: unknown) => {
        throw new Error((await readFile(theirs.logFile, 'utf8')).slice(-2_000), { cause });
      },
    );

    await register(world, { name: 'fresh', providerID: providerIdOf(fresh), isReady: true, isNew: true });
    await untilNode(world, 'fresh', 'initialised', isInitialised);
    await terminateInstance(world, ended);
    await setReady(world, 'ended', false);
    await untilDeleted(world, 'ended');
    const before = (await writesTo(world, undefined)).length;
    await untilLookedUp(world, 4, awake.instanceId);

    t.equal(theirs.ending(), undefined, 'theirs runs still');
    t.strictSame(await writesByTheirs(world), [], 'theirs wrote no Node');
    t.strictSame(namesOf(await deletionsBy(world)), ['ended']);
    t.equal((await writesTo(world, undefined)).length, before, 'ours has nothing to put right');
  },
);

async function createService({ plane }: TestEnvironment): Promise<void> {
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'web' },
    spec: { type: 'LoadBalancer', ports: [{ port: 80 }], selector: { app: 'web' } },
  };
  const { status } = await plane.ask('POST', '/api/v1/namespaces/default/services', service);
  if (status !== 201) throw new Error(`the Service was not created: ${String(status)}`);
}

/** The lab has no load balancers, so only the attempt to create one is visible. */
async function isWorkedOn({ plane }: TestEnvironment): Promise<true | undefined> {
  const { body } = await plane.ask('GET', '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=web');
  const { items } = body as { readonly items: readonly { readonly reason: string }[] };
  return items.some(({ reason }) => reason === 'EnsuringLoadBalancer') || undefined;
}

async function writesByTheirs({ plane }: TestEnvironment): Promise<readonly unknown[]> {
  const events = await plane.auditEvents();
  return events.filter(
    ({ user, verb, objectRef }) =>
      user.username === 'aws-ccm' && !['get', 'list', 'watch'].includes(verb) && objectRef?.resource === 'nodes',
  );
}
