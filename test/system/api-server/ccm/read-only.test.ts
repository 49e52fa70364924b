import { explain, quickFlags, soonMs, startController, untilLogged } from './controller-process.ts';
import { readNode, register, registerKnown, writesTo } from './nodes.ts';
import { onCluster } from './on-cluster.ts';
import { launchInstances, providerIdOf, untilLookedUp, removeInstance } from './environment.ts';

const deletion = { sightingsApartMs: 100, notFoundSpanMs: 300, notFoundMinAgeMs: 0 };

/** Questions, which the API server does not keep. */
const reviews = new Set(['tokenreviews', 'subjectaccessreviews']);

await onCluster('--dry-run and explain say what they would do, and write nothing', async (t, world) => {
  const [fresh, lost, awake] = await launchInstances(world, 3, 6);
  if (!fresh || !lost || !awake) throw new Error('a fleet of three has three instances');
  await register(world, { name: 'fresh', providerID: providerIdOf(fresh), isReady: true, isNew: true });
  await registerKnown(world, 'awake', awake, true);
  await registerKnown(world, 'lost', lost, false);
  const foreign = 'gce://project/us-west1-a/instance';
  await register(world, { name: 'elsewhere', providerID: foreign, isReady: false, isNew: false });
  await removeInstance(world, lost);
  const wishes = { deletion, flags: [] };

  await t.test('explain', async (t) => {
    const [text, json, elsewhere, nobody] = await Promise.all([
      explain(world, wishes, ['lost']),
      explain(world, wishes, ['fresh', '--json']),
      explain(world, wishes, ['elsewhere']),
      explain(world, wishes, ['nobody']),
    ]);
    t.equal(text.code, 0, text.stderr);
    t.match(text.stdout, new RegExp(`^node lost\n  owner: ours, by providerID ${providerIdOf(lost)}\n`));
    t.match(text.stdout, /the cloud reports: gone, not-found: /);
    t.match(text.stdout, /deletion: /);
    t.equal(json.code, 0, json.stderr);
    t.match(JSON.parse(json.stdout), {
      node: 'fresh',
      isKnown: true,
      finding: 'present, running',
      changes: [/^set addresses /, /^set label /],
      wouldWrite: { kind: 'plan' },
    });
    t.match(elsewhere.stdout, /owner: foreign: providerID gce:/);
    t.equal(nobody.code, 1);
    t.match(nobody.stderr, /there is no Node nobody; hint: /);
  });

  await t.test('--dry-run', async (t) => {
    const { output: said, page } = await startController(world, {
      deletion,
      flags: [...quickFlags, '--dry-run', '-v', '1'],
    });
    await untilLogged(said, /"Dry run: Node would be changed" node="fresh"/, soonMs);
    await untilLogged(said, /"Dry run: Node would be deleted" node="lost"/, soonMs);
    await untilLookedUp(world, 6, lost.instanceId);
    t.ok(await readNode(world, 'lost'));
    t.match(said(), /"Starting" .* dryRun=true/);
    t.match(said(), /"Leading" identity="[^"]+" reason="a dry run takes no Lease"/);
    t.match(said(), /node="fresh" uid="[^"]+" changes=\["set addresses [^"]+",.*"remove taint node.cloudprovider/);
    for (const line of ['changed" node="fresh"', 'deleted" node="lost"']) {
      t.equal(said().split(`"Dry run: Node would be ${line}`).length - 1, 1, `${line}: once`);
    }
    t.match((await page('/statusz')).text, /^dry run: nothing is written, and no Lease is taken\n/);
    t.notMatch((await page('/metrics')).text, /^polycloud_ccm_(?:writes|deletions)_total\S* [1-9]/m);
  });

  t.strictSame(await writesTo(world, undefined), [], 'no Node was written');
  const written = (await world.plane.auditEvents()).filter(
    ({ userAgent = '', verb, objectRef }) =>
      userAgent.startsWith('polycloud-ccm/') &&
      !['get', 'list', 'watch'].includes(verb) &&
      !reviews.has(objectRef?.resource ?? ''),
  );
  t.strictSame(written, [], 'nor an event or a Lease');
});
