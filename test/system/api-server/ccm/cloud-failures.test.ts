import { quickFlags, startController } from './controller-process.ts';
import { deletionsBy, namesOf, readNode, registerKnown, untilDeleted } from './nodes.ts';
import { waitUntil } from '../../../lab/control-plane/wait-until.ts';
import { onCluster } from './on-cluster.ts';
import { endCloudFailures, pageWithout, cloudFailures } from './cloud-failures.ts';
import { launchInstances, untilLookedUp, removeInstance } from './environment.ts';

/** One wrong word is enough for a deletion, but for the breaker, which has a test of its own. */
const deletion = {
  sightingsApartMs: 100,
  terminatedSightings: 1,
  notFoundSightings: 1,
  notFoundSpanMs: 0,
  notFoundMinAgeMs: 0,
  breakerNodes: 1_000,
};

await onCluster('whatever EC2 does, only what is gone goes, and soon after', async (t, world) => {
  const [awake, silent, ...doomed] = await launchInstances(world, 2 + cloudFailures.length, 3);
  // A scope in which no Ready node can speak for the others.
  const [lonely] = await launchInstances({ ...world, region: 'eu-west-1' }, 1, 4);
  if (!awake || !silent || !lonely) throw new Error('the fleets are too small');
  await registerKnown(world, 'awake', awake, true);
  await registerKnown(world, 'silent', silent, false);
  await registerKnown(world, 'lonely', lonely, false);
  await startController(world, { deletion, flags: quickFlags });
  await untilLookedUp(world, 2, silent.instanceId);
  await untilLookedUp(world, 2, lonely.instanceId);

  for (const [index, trouble] of cloudFailures.entries()) {
    await t.test(trouble.name, async (t) => {
      const instance = doomed[index];
      if (instance === undefined) throw new Error('an instance for each trouble');
      const name = `doomed-${String(index)}`;
      await registerKnown(world, name, instance, false);
      await untilLookedUp(world, 1, instance.instanceId);
      await trouble.begin(world, silent);
      // Counted from the first failure on: with each further one the pauses grow.
      const asking = [silent, lonely].map(({ instanceId }) => untilLookedUp(world, trouble.lookups, instanceId));
      await removeInstance(world, instance);
      const asked = await Promise.allSettled(asking);
      for (const kept of ['awake', 'silent', 'lonely']) t.ok(await readNode(world, kept), `${kept} is kept`);
      t.ok(
        asked.every(({ status }) => status === 'fulfilled'),
        'both were asked for meanwhile',
      );
      if (trouble.isPartial !== true) t.ok(await readNode(world, name), 'nothing is known, so nothing goes');
      await endCloudFailures(world);
      // With an answer for each scope the pauses begin anew.
      await Promise.all([untilDeleted(world, name), untilLookedUp(world, 1, lonely.instanceId)]);
    });
  }

  await t.test('the Lease shows failures as events, where kubectl describe finds them', async (t) => {
    const describe = ['--namespace', 'kube-system', 'describe', 'lease', 'cloud-controller-manager'];
    const wait = { what: 'events on the Lease', withinMs: 20_000, everyMs: 100 };
    const text = await waitUntil(wait, async () => {
      const described = await world.plane.kubectl(describe);
      return described.includes('CloudRecovered') ? described : undefined;
    });
    t.match(text, /Warning +CloudFailing .* aws aws\/us-west-2\S*: .*; hint: /);
  });

  await t.test('a first page that is right, and a second one that is refused', async (t) => {
    for (let times = 0; times < 3; times += 1) {
      await world.aws.addFault({ service: 'ec2', ...pageWithout(silent), count: 1 });
      await untilLookedUp(world, 1, 'NextToken=next');
    }
    await endCloudFailures(world);
    await untilLookedUp(world, 2, silent.instanceId);
    for (const kept of ['awake', 'silent', 'lonely']) t.ok(await readNode(world, kept), `${kept} is kept`);
  });

  t.strictSame(
    namesOf(await deletionsBy(world)),
    cloudFailures.map((_, index) => `doomed-${String(index)}`).toSorted(),
    'in the end each of them, once, and nobody else',
  );
});
