import { waitUntil } from '../../lab/control-plane/wait-until.ts';
import { quickFlags, startController, untilLogged } from '../../system/api-server/ccm/controller-process.ts';
import { deletionsBy, namesOf, readNode, registerKnown, setReady } from '../../system/api-server/ccm/nodes.ts';
import { onCluster } from '../../system/api-server/ccm/on-cluster.ts';
import { launchInstances, untilLookedUp, removeInstance } from '../../system/api-server/ccm/environment.ts';

const deletion = { sightingsApartMs: 100, notFoundSightings: 1, notFoundSpanMs: 0, notFoundMinAgeMs: 0 };
/** A request is given up after 12 s. */
const givenUpWithinMs = 45_000;

await onCluster('EC2 that never answers, until its requests are given up', async (t, world) => {
  const [awake, silent, doomed] = await launchInstances(world, 3, 10);
  if (!awake || !silent || !doomed) throw new Error('the fleet is too small');
  await registerKnown(world, 'awake', awake, true);
  await registerKnown(world, 'silent', silent, false);
  await registerKnown(world, 'doomed', doomed, true);
  const controller = await startController(world, { deletion, flags: quickFlags });
  await untilLookedUp(world, 1, doomed.instanceId);

  await world.aws.addFault({ service: 'ec2', kind: 'hang' });
  await removeInstance(world, doomed);
  await setReady(world, 'doomed', false);
  await untilLogged(
    controller.output,
    /scope="\S*us-west-2" err=".*no answer within the time allowed/,
    givenUpWithinMs,
  );
  for (const name of ['awake', 'silent', 'doomed']) t.ok(await readNode(world, name), `${name} is kept`);
  t.equal((await controller.page('/livez')).status, 200, 'that is no reason to start the process again');

  await world.aws.clearFaults();
  await waitUntil({ what: 'doomed is deleted', withinMs: givenUpWithinMs, everyMs: 100 }, async () =>
    (await readNode(world, 'doomed')) === undefined ? true : undefined,
  );
  t.strictSame(namesOf(await deletionsBy(world)), ['doomed']);
});
